/* SPDX-License-Identifier: MIT
 *
 * The real-time orders of operations within one class of executions.
 *
 * All members of a class share program order and conflicts; calls and returns are steps that
 * conflict with nothing, so they may lie at any point that these allow. What a member says about
 * linearizability is which operations returned before which others were called. More such
 * precedences only exclude linearizations, so a class has a non-linearizable member iff one of its
 * tightest arrangements is not linearizable.
 *
 * Tightest. Delaying a step other than a call never gains a precedence, so given the order of calls
 * everything else happens as soon as it can: an operation A returns when the calls that happen
 * before its return, need(A), have been made. The state is thus the set S of calls made, a vector
 * of counts by thread, since calls of a thread are in program order. The only choice is which
 * return to work for next: the calls need(A) - S are made together. A choice whose calls strictly
 * include those of another loses to it: make the smaller set of calls first. Two incomparable
 * choices A and B differ in a precedence each way (A before the calls that only B needs, and B
 * before those that only A needs), hence so do all arrangements below them: the leaves of this tree
 * are exactly the maximal arrangements, each once. Choices with the same calls are one. At most one
 * candidate a thread: its first operation that has not returned.
 *
 * Loosest. For comparison with sequential runs only the order within threads (and creation and
 * join) counts. No single history says that, since two chains of two operations cannot all overlap
 * across. But every sequential order w is a linear extension of the arrangement in which each
 * operation is called as soon as what it must follow has returned, and returns at its turn in w;
 * and only the returns that let another call happen matter, the others come last. So all orders of
 * those returns are visited: for two threads of n and m operations (n + m - 2 choose n - 1) instead
 * of all (n + m choose n) interleavings.
 */
#include "judge/arrange.h"

#include <stdlib.h>
#include <string.h>

static void reserve(struct arrange *a, const struct trace *t, uint32_t threads)
{
	size_t clocks = (t->nevents + (size_t)1) * (threads + (size_t)1);

	if (t->nops >= a->op_capacity || threads >= a->thread_capacity) {
		a->op_capacity = t->nops + t->nops / 2 + 8;
		a->thread_capacity = threads + 8;
		a->ops = xreallocarray(a->ops, a->op_capacity, sizeof *a->ops);
		a->position = xreallocarray(a->position, a->op_capacity, sizeof *a->position);
		a->returned = xreallocarray(a->returned, a->op_capacity, sizeof *a->returned);
		a->start = xreallocarray(a->start, a->thread_capacity, sizeof *a->start);
		a->needs = xreallocarray(a->needs, a->op_capacity * (size_t)a->thread_capacity,
					 sizeof *a->needs);
	}
	if (clocks > a->clock_capacity) {
		a->clock_capacity = clocks * 2;
		a->clocks = xreallocarray(a->clocks, a->clock_capacity, sizeof *a->clocks);
	}
	memset(a->clocks, 0, clocks * sizeof *a->clocks);
}

/* Sorts the operations by thread; compact[] numbers the threads that have any. Within a thread they
 * are in the order of their calls or of their returns (pending ones last); the two differ for
 * nested operations. */
static void sort_operations(struct arrange *a, const struct trace *t, uint32_t *compact,
			    uint32_t threads, bool by_return)
{
	a->nthreads = a->nops = 0;
	for (uint32_t u = 0; u < threads; u++) {
		uint32_t first = a->nops;

		a->start[a->nthreads] = first;
		for (uint32_t k = 0; k < t->nops; k++) {
			uint32_t at = a->nops;

			if (t->ops[k].thread != u)
				continue;
			for (; by_return && at > first; at--) {
				if (t->ops[a->ops[at - 1]].ret_event <= t->ops[k].ret_event)
					break;
				a->ops[at] = a->ops[at - 1];
			}
			a->ops[at] = k;
			a->nops++;
		}
		compact[u] = a->nops > first ? a->nthreads++ : NONE;
	}
	a->start[a->nthreads] = a->nops;
	for (uint32_t n = 0; n < a->nops; n++) {
		a->position[a->ops[n]] = n;
		a->returned[n] = t->ops[a->ops[n]].ret_event != NONE;
	}
}

static void merge_clock(uint32_t *to, const uint32_t *from, uint32_t n)
{
	for (uint32_t u = 0; u < n; u++)
		if (from[u] > to[u])
			to[u] = from[u];
}

/* Vector clocks that count events of kind `counted`; the needs are the clocks at events of kind
 * `read`. */
static void compute(struct arrange *a, const struct trace *t, const struct order *o,
		    unsigned counted, unsigned read)
{
	uint32_t *compact = xmalloc((o->nthreads + 1) * sizeof *compact), n;
	/* Everything else has been called by then; the order of returns is not one between threads. */
	const uint32_t final = counted == LP_EV_CALL ? trace_final(t) : NONE;

	reserve(a, t, o->nthreads);
	sort_operations(a, t, compact, o->nthreads, counted == LP_EV_RETURN);
	n = a->nthreads;
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];
		uint32_t *clock = a->clocks + (size_t)i * n;

		if (e->kind == counted && compact[e->thread] != NONE && e->op != NONE)
			clock[compact[e->thread]]++;
		for (uint32_t k = 0; i == final && k < i; k++)
			merge_clock(clock, a->clocks + (size_t)k * n, n);
		if (e->kind == read && e->op < t->nops)
			memcpy(a->needs + (size_t)a->position[e->op] * n, clock, n * sizeof *clock);
		if (o->next[i] != NONE)
			merge_clock(a->clocks + (size_t)o->next[i] * n, clock, n);
		for (uint32_t k = o->edge_start[i]; k < o->edge_start[i + 1]; k++)
			merge_clock(a->clocks + (size_t)o->targets[k] * n, clock, n);
	}
	free(compact);
}

void arrange_calls(struct arrange *a, const struct trace *t, const struct order *o)
{
	compute(a, t, o, LP_EV_CALL, LP_EV_RETURN);
}

void arrange_returns(struct arrange *a, const struct trace *t, const struct order *o)
{
	compute(a, t, o, LP_EV_RETURN, LP_EV_CALL);
}

void arrange_free(struct arrange *a)
{
	free(a->ops);
	free(a->position);
	free(a->start);
	free(a->returned);
	free(a->needs);
	free(a->clocks);
	memset(a, 0, sizeof *a);
}

/* An enumeration going on. */
struct tour {
	const struct arrange *a;
	arrange_visitor *visit;
	void *data;
	uint64_t left; /* visits allowed */
	bool stop, limited;
	uint64_t *call, *ret; /* by operation */
	uint32_t *stack;      /* vectors, one level after the other */
	uint32_t depth, capacity;
	uint64_t time;
};

static bool tour_end(struct tour *w)
{
	free(w->call);
	free(w->ret);
	free(w->stack);
	return !w->limited;
}

/* Room for `count` more vectors; returns the index of the first. */
static uint32_t push(struct tour *w, uint32_t count)
{
	uint32_t at = w->depth;

	w->depth += count;
	if (w->depth > w->capacity) {
		w->capacity = w->depth * 2;
		w->stack = xreallocarray(w->stack, w->capacity,
					 (w->a->nthreads + 1) * sizeof *w->stack);
	}
	return at;
}

static uint32_t *vector(const struct tour *w, uint32_t index)
{
	return w->stack + (size_t)index * w->a->nthreads;
}

/* Returns the vector of no returns. */
static uint32_t tour_begin(struct tour *w)
{
	uint32_t s;

	w->call = xmalloc((w->a->nops + 1) * sizeof *w->call);
	w->ret = xmalloc((w->a->nops + 1) * sizeof *w->ret);
	memset(w->call, 0xff, w->a->nops * sizeof *w->call);
	memset(w->ret, 0xff, w->a->nops * sizeof *w->ret);
	s = push(w, 1);
	memset(vector(w, s), 0, w->a->nthreads * sizeof *w->stack);
	return s;
}

static const uint32_t *needs(const struct tour *w, uint32_t op)
{
	return w->a->needs + (size_t)op * w->a->nthreads;
}

static bool within(const uint32_t *a, const uint32_t *b, uint32_t n)
{
	for (uint32_t u = 0; u < n; u++)
		if (a[u] > b[u])
			return false;
	return true;
}

static enum visit show(struct tour *w, bool whole)
{
	enum visit answer;

	if (!w->left) {
		w->limited = w->stop = true;
		return VISIT_STOP;
	}
	w->left--;
	answer = w->visit(w->data, w->call, w->ret, whole);
	if (answer == VISIT_STOP)
		w->stop = true;
	return answer;
}

/* Every operation that is called by S and whose needs are met returns at `time`. */
static void return_all(struct tour *w, const uint32_t *s, uint64_t time)
{
	for (uint32_t u = 0; u < w->a->nthreads; u++)
		for (uint32_t k = w->a->start[u]; k < w->a->start[u] + s[u]; k++)
			if (w->ret[k] == NO_TIME && w->a->returned[k] &&
			    within(needs(w, k), s, w->a->nthreads))
				w->ret[k] = time;
}

/* The operation of a thread that returns next; NONE. */
static uint32_t next_return(const struct tour *w, uint32_t u)
{
	uint32_t best = NONE;

	for (uint32_t k = w->a->start[u]; k < w->a->start[u + 1]; k++) {
		if (w->ret[k] != NO_TIME || !w->a->returned[k])
			continue;
		if (best == NONE || within(needs(w, k), needs(w, best), w->a->nthreads))
			best = k;
	}
	return best;
}

/* Writes to the stack, from `at`, the sets of calls that are worth making next; returns their
 * number. */
static uint32_t choices(struct tour *w, uint32_t s, uint32_t at)
{
	uint32_t n = w->a->nthreads, count = 0;

	for (uint32_t u = 0; u < n; u++) {
		uint32_t k = next_return(w, u), kept = 0, *sum = vector(w, at + count);
		bool lost = false;

		if (k == NONE)
			continue;
		memcpy(sum, vector(w, s), n * sizeof *sum);
		merge_clock(sum, needs(w, k), n);
		for (uint32_t i = 0; i < count && !lost; i++)
			lost = within(vector(w, at + i), sum, n);
		if (lost)
			continue;
		for (uint32_t i = 0; i < count; i++)
			if (!within(sum, vector(w, at + i), n))
				memmove(vector(w, at + kept++), vector(w, at + i), n * sizeof *sum);
		memmove(vector(w, at + kept), sum, n * sizeof *sum);
		count = kept + 1;
	}
	return count;
}

/* The calls that nothing needs come last. */
static void show_leaf(struct tour *w, uint32_t s)
{
	const uint32_t *made = vector(w, s);

	for (uint32_t u = 0; u < w->a->nthreads; u++)
		for (uint32_t k = w->a->start[u] + made[u]; k < w->a->start[u + 1]; k++)
			w->call[k] = w->time;
	show(w, true);
	for (uint32_t u = 0; u < w->a->nthreads; u++)
		for (uint32_t k = w->a->start[u] + made[u]; k < w->a->start[u + 1]; k++)
			w->call[k] = NO_TIME;
}

static void tighten(struct tour *w, uint32_t s);

/* Makes the calls of vector `to` beyond those of vector `s`, goes on, and takes them back. */
static void make_calls(struct tour *w, uint32_t s, uint32_t to)
{
	uint32_t n = w->a->nthreads;
	uint64_t time = w->time;

	for (uint32_t u = 0; u < n; u++)
		for (uint32_t k = w->a->start[u] + vector(w, s)[u];
		     k < w->a->start[u] + vector(w, to)[u]; k++)
			w->call[k] = time;
	return_all(w, vector(w, to), time + 1);
	w->time = time + 2;
	tighten(w, to);
	w->time = time;
	for (uint32_t k = 0; k < w->a->nops; k++) {
		if (w->call[k] == time)
			w->call[k] = NO_TIME;
		if (w->ret[k] == time + 1)
			w->ret[k] = NO_TIME;
	}
}

static void tighten(struct tour *w, uint32_t s)
{
	uint32_t at = push(w, w->a->nthreads + 1), count = choices(w, s, at);

	if (!count)
		show_leaf(w, s);
	for (uint32_t i = 0; i < count && !w->stop; i++)
		make_calls(w, s, at + i);
	w->depth = at;
}

bool arrange_tightest(const struct arrange *a, uint64_t limit, arrange_visitor *visit, void *data)
{
	struct tour w = { .a = a, .visit = visit, .data = data, .left = limit };
	uint32_t s = tour_begin(&w);

	tighten(&w, s);
	return tour_end(&w);
}

/* Calls everything that may be called after the returns of vector `s`. */
static void call_all(struct tour *w, const uint32_t *s, uint64_t time)
{
	for (uint32_t k = 0; k < w->a->nops; k++)
		if (w->call[k] == NO_TIME && within(needs(w, k), s, w->a->nthreads))
			w->call[k] = time;
}

/* Does some operation wait for the return of operation k, the `count`-th of thread u? */
static bool awaited(const struct tour *w, uint32_t u, uint32_t count)
{
	for (uint32_t k = 0; k < w->a->nops; k++)
		if (needs(w, k)[u] >= count)
			return true;
	return false;
}

static void loosen(struct tour *w, uint32_t s);

static void make_return(struct tour *w, uint32_t s, uint32_t u, uint32_t k)
{
	uint32_t to = push(w, 1);
	uint64_t time = w->time;

	memcpy(vector(w, to), vector(w, s), w->a->nthreads * sizeof *w->stack);
	vector(w, to)[u]++;
	w->ret[k] = time;
	call_all(w, vector(w, to), time + 1);
	w->time = time + 2;
	loosen(w, to);
	w->time = time;
	w->ret[k] = NO_TIME;
	for (k = 0; k < w->a->nops; k++)
		if (w->call[k] == time + 1)
			w->call[k] = NO_TIME;
	w->depth = to;
}

static void show_loose_leaf(struct tour *w)
{
	for (uint32_t k = 0; k < w->a->nops; k++)
		if (w->ret[k] == NO_TIME && w->a->returned[k])
			w->ret[k] = w->time;
	show(w, true);
	for (uint32_t k = 0; k < w->a->nops; k++)
		if (w->ret[k] == w->time)
			w->ret[k] = NO_TIME;
}

static void loosen(struct tour *w, uint32_t s)
{
	bool leaf = true;

	for (uint32_t u = 0; u < w->a->nthreads; u++) {
		uint32_t k = w->a->start[u] + vector(w, s)[u];

		if (k < w->a->start[u + 1] && w->call[k] != NO_TIME && w->a->returned[k] &&
		    awaited(w, u, vector(w, s)[u] + 1))
			leaf = false;
	}
	if (leaf) {
		show_loose_leaf(w);
		return;
	}
	if (w->depth > 1 && show(w, false) != VISIT_ON)
		return;
	for (uint32_t u = 0; u < w->a->nthreads && !w->stop; u++) {
		uint32_t k = w->a->start[u] + vector(w, s)[u];

		if (k < w->a->start[u + 1] && w->call[k] != NO_TIME && w->a->returned[k] &&
		    awaited(w, u, vector(w, s)[u] + 1))
			make_return(w, s, u, k);
	}
}

bool arrange_loosest(const struct arrange *a, uint64_t limit, arrange_visitor *visit, void *data)
{
	struct tour w = { .a = a, .visit = visit, .data = data, .left = limit };
	uint32_t s = tour_begin(&w);

	call_all(&w, vector(&w, s), 0);
	w.time = 1;
	loosen(&w, s);
	return tour_end(&w);
}

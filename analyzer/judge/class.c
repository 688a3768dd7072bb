/* SPDX-License-Identifier: MIT
 *
 * Linearizability of a class of executions that agree in program order and conflicts.
 *
 * A class is not linearizable iff one of its tightest arrangements of calls and returns is not (see
 * arrange.c). Each is turned into a history for lin_check. With `outcome` the question is the
 * opposite: is there any order of the operations that respects the threads (and creation and join)
 * and is legal? It is answered by the loosest arrangements; beginnings of them that are already
 * illegal are cut, which is sound because linearizability is closed under prefixes.
 *
 * Both answers depend only on the operations with their values and on what each waits for. That is
 * the key of the first table: most classes of a run have been answered already. The second has
 * single arrangements, many of which are common to different classes.
 *
 * The schedule that shows a violation executes the trace in phases: an event belongs to the phase
 * of the last call that happens before it. Within a phase events keep their order. This is a linear
 * extension of program order and conflicts, and in it an operation returns before another is called
 * iff the arrangement says so.
 */
#include "judge/class.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "judge/arrange.h"
#include "base/budget.h"
#include "base/numbering.h"
#include "judge/lenient.h"
#include "judge/self.h"
#include "judge/value.h"

struct answer {
	enum lin_verdict verdict;
	bool limited;
	uint64_t arrangements;
	uint64_t *call; /* of a violating arrangement, by position; NULL if there is none */
	bool failed;    /* lin_check refused it */
};

#define VERDICT_FAILED 0xff

struct lin_class {
	const struct run *run;
	struct lin_class_options options;
	struct numbering classes, values, arrangements;
	struct answer *answers;
	uint32_t answers_capacity;
	uint8_t *verdicts; /* by arrangement */
	uint32_t verdicts_capacity;
	struct order order;
	struct arrange arrange;
	struct self *self;      /* sequential runs, NULL: none are needed */
	bool partners;          /* an operation of the history returned, and never does alone */
	bool words;             /* guesses that were right are used, for what they say */
	bool *weak;             /* by operation of the trace */
	struct trace bare;      /* the trace without accesses */
	struct history history; /* of the trace; times are set for each arrangement */
	struct history part;    /* the operations of the beginning of an arrangement */
	uint64_t *key;
	size_t nkey, key_capacity;
	uint64_t *phase; /* by event */
	uint32_t *schedule;
	uint32_t capacity;
	/* The class being decided. */
	struct answer present;
	struct error refusal; /* the last one of lin_check */
};

struct lin_class *lin_class_new(const struct run *run, const struct lin_class_options *options)
{
	struct lin_class *c = xcalloc(1, sizeof *c);

	c->run = run;
	c->options = *options;
	if (!c->options.max_arrangements)
		c->options.max_arrangements = LIN_CLASS_ARRANGEMENTS;
	c->options.lin.witness = c->options.lin.linearization = false;
	return c;
}

void lin_class_use_self(struct lin_class *c, struct self *self)
{
	c->self = self;
}

void lin_class_free(struct lin_class *c)
{
	if (!c)
		return;
	for (uint32_t i = 0; i < c->classes.n; i++)
		free(c->answers[i].call);
	free(c->answers);
	free(c->verdicts);
	numbering_free(&c->classes);
	numbering_free(&c->values);
	numbering_free(&c->arrangements);
	order_free(&c->order);
	arrange_free(&c->arrange);
	free(c->bare.events);
	free(c->weak);
	free(c->key);
	free(c->phase);
	free(c->schedule);
	free(c);
}

/* ---- histories ---- */

static uint32_t add_object(const struct lin_class *c, struct history *h, uint32_t location)
{
	const char *specification = NULL, *given = NULL;
	uint32_t number;
	char *name;

	for (uint32_t i = 0; i < c->run->nobjects && !specification; i++)
		if (c->run->objects[i].location == location &&
		    c->run->objects[i].specification < c->run->nstrings)
			specification = c->run->strings[c->run->objects[i].specification];
	if (c->options.object_name)
		given = c->options.object_name(c->options.data, location);
	/* Objects must not become one because their names are equal. */
	name = given ? xasprintf("%s", given) : xasprintf("object %" PRIu32, location);
	for (uint32_t i = 0; i < h->nobjects; i++)
		if (!strcmp(h->objects[i].name, name)) {
			free(name);
			name = xasprintf("%s (%" PRIu32 ")", given ? given : "object", location);
			break;
		}
	number = history_object(h, name, self_specification(c->self, specification, c->words));
	if (c->self)
		h->objects[number].number = self_object(c->self, c->run, location);
	free(name);
	return number;
}

static uint32_t object_of(const struct lin_class *c, const struct trace *t, uint32_t op,
			  struct history *h)
{
	for (uint32_t k = 0; k < op; k++)
		if (t->ops[k].object == t->ops[op].object)
			return h->ops[k].object;
	return add_object(c, h, t->ops[op].object);
}

/* All operations, without times. */
static void make_history(struct lin_class *c, const struct trace *t, struct history *h)
{
	weak_operations(t, c->self, c->run, &c->weak);
	c->partners = false;
	history_init(h);
	h->orders = c->self ? self_orders(c->self) : NULL;
	for (uint32_t k = 0; k < t->nops; k++) {
		const struct operation *op = &t->ops[k];
		const char *name = op->name < c->run->nstrings ? c->run->strings[op->name] : "?";
		struct history_op *out = history_add(h);

		out->thread = op->thread;
		if (op->thread < c->run->nthreads && !history_has_thread(h, op->thread))
			history_thread(h, op->thread,
				       xasprintf("T%s", c->run->threads[op->thread].name));
		out->object = object_of(c, t, k, h);
		out->method = history_method(h, name);
		out->nargs = (uint8_t)(op->nargs < HISTORY_MAX_ARGS ? op->nargs : HISTORY_MAX_ARGS);
		for (uint32_t i = 0; i < out->nargs; i++)
			out->args[i] = (struct value){ VALUE_INT, op->args[i] };
		out->ret = TIME_PENDING;
		if (c->self)
			out->symbol = self_symbol(c->self, c->run, op);
		c->partners |= c->self && op->ret_event != NONE &&
			       self_named(h->objects[out->object].specification) &&
			       !self_returns(c->self, c->run, op);
		out->weak = c->weak[k] && self_named(h->objects[out->object].specification);
		out->result = op->ret_event == NONE || out->weak
				      ? (struct value){ VALUE_UNKNOWN, 0 }
				      : operation_value(op);
	}
}

bool lin_class_unknown(const struct lin_class *c)
{
	return c->partners;
}

void lin_class_history(struct lin_class *c, bool words, const struct trace *t,
		       const uint32_t *schedule, struct history *h)
{
	c->words = words;
	make_history(c, t, h);
	c->words = false;
	for (uint32_t i = 0; i < t->nevents; i++) {
		uint32_t event = schedule ? schedule[i] : i, op = t->events[event].op;

		if (op >= t->nops)
			continue;
		if (event == t->ops[op].call)
			h->ops[op].call = i;
		if (event == t->ops[op].ret_event && !h->ops[op].weak)
			h->ops[op].ret = i;
	}
}

/* ---- keys ---- */

static void put(struct lin_class *c, uint64_t word)
{
	VEC_GROW(c->key, c->nkey, c->key_capacity);
	c->key[c->nkey++] = word;
}

static void put_operation(struct lin_class *c, const struct trace *t, uint32_t number)
{
	const struct operation *op = &t->ops[number];
	bool returned = op->ret_event != NONE;

	put(c, (uint64_t)op->object << 32 | op->name);
	if (c->self)
		put(c, op->thread); /* one that runs alone may do other things than another */
	put(c, (uint64_t)op->nargs << 32 | (uint64_t)c->weak[number] << 8 |
		       (returned ? 1u + op->ret_kind : 0));
	for (uint32_t i = 0; i < op->nargs && i < HISTORY_MAX_ARGS; i++)
		put(c, (uint64_t)op->args[i]);
	if (returned && op->ret_kind == 1)
		put(c, (uint64_t)op->ret);
}

/* The abstract class: operations by thread, with values, and what they wait for. */
static void put_class(struct lin_class *c, const struct trace *t)
{
	const struct arrange *a = &c->arrange;

	c->nkey = 0;
	put(c, a->nthreads);
	for (uint32_t u = 0; u < a->nthreads; u++)
		put(c, a->start[u + 1]);
	for (uint32_t n = 0; n < a->nops; n++) {
		const uint32_t *needs = a->needs + (size_t)n * a->nthreads;

		put_operation(c, t, a->ops[n]);
		for (uint32_t u = 0; u < a->nthreads && (c->options.outcome || a->returned[n]); u++)
			put(c, needs[u]);
	}
}

/* ---- deciding a class ---- */

struct deciding {
	struct lin_class *c;
	const struct trace *t;
	uint32_t values; /* number of the operations with their values */
};

static int64_t time_of(uint64_t time)
{
	return time == NO_TIME ? TIME_PENDING : (int64_t)time;
}

/* Checks the operations that have been called by now; a whole arrangement has all of them. */
static enum lin_verdict check_history(struct lin_class *c, const uint64_t *call,
				      const uint64_t *ret)
{
	struct history called = c->history;
	enum lin_verdict verdict = LIN_UNKNOWN;

	called.ops = c->part.ops;
	called.nops = 0;
	for (uint32_t k = 0; k < c->history.nops; k++) {
		uint32_t n = c->arrange.position[k];

		if (call[n] == NO_TIME)
			continue;
		called.ops[called.nops] = c->history.ops[k];
		called.ops[called.nops].call = time_of(call[n]);
		called.ops[called.nops].ret =
			called.ops[called.nops].weak ? TIME_PENDING : time_of(ret[n]);
		called.nops++;
	}
	if (lenient_check(&called, &c->options.lin, &verdict, &c->refusal))
		c->present.failed = true;
	return verdict;
}

static enum lin_verdict check_arrangement(struct deciding *d, const uint64_t *call,
					  const uint64_t *ret)
{
	struct lin_class *c = d->c;
	enum lin_verdict verdict;
	uint32_t number;
	bool added;

	c->present.arrangements++;
	c->nkey = 0;
	put(c, d->values);
	for (uint32_t n = 0; n < c->arrange.nops; n++) {
		put(c, call[n]);
		put(c, ret[n]);
	}
	number = numbering_add(&c->arrangements, c->key, c->nkey * sizeof *c->key, &added);
	if (!added) {
		c->present.failed = c->verdicts[number] == VERDICT_FAILED;
		return (enum lin_verdict)c->verdicts[number];
	}
	verdict = check_history(c, call, ret);
	VEC_GROW(c->verdicts, number, c->verdicts_capacity);
	c->verdicts[number] = c->present.failed ? VERDICT_FAILED : (uint8_t)verdict;
	return verdict;
}

static bool out_of_time(enum lin_verdict verdict)
{
	return verdict == LIN_UNKNOWN && budget_phase_over();
}

/* All must be linearizable. */
static enum visit visit_tight(void *data, const uint64_t *call, const uint64_t *ret, bool whole)
{
	struct deciding *d = data;
	struct answer *answer = &d->c->present;
	enum lin_verdict verdict = check_arrangement(d, call, ret);

	if (answer->failed)
		return VISIT_STOP;
	if (verdict == LIN_UNKNOWN)
		answer->verdict = LIN_UNKNOWN;
	if (verdict != LIN_VIOLATION)
		return out_of_time(verdict) ? VISIT_STOP : VISIT_ON;
	answer->verdict = LIN_VIOLATION;
	answer->call = xmalloc(d->c->arrange.nops * sizeof *call);
	memcpy(answer->call, call, d->c->arrange.nops * sizeof *call);
	return VISIT_STOP;
}

/* One must be linearizable. */
static enum visit visit_loose(void *data, const uint64_t *call, const uint64_t *ret, bool whole)
{
	struct deciding *d = data;
	struct answer *answer = &d->c->present;
	enum lin_verdict verdict = check_arrangement(d, call, ret);

	if (answer->failed)
		return VISIT_STOP;
	if (verdict == LIN_VIOLATION)
		return VISIT_CUT;
	if (!whole)
		return VISIT_ON;
	answer->verdict = verdict == LIN_OK ? LIN_OK : LIN_UNKNOWN;
	return verdict == LIN_OK || out_of_time(verdict) ? VISIT_STOP : VISIT_ON;
}

static void decide(struct lin_class *c, const struct trace *t)
{
	struct deciding d = { .c = c, .t = t };
	bool all, added;

	c->nkey = 0;
	for (uint32_t n = 0; n < c->arrange.nops; n++)
		put_operation(c, t, c->arrange.ops[n]);
	put(c, c->options.outcome);
	d.values = numbering_add(&c->values, c->key, c->nkey * sizeof *c->key, &added);
	make_history(c, t, &c->history);
	c->part.ops = xmalloc((t->nops + 1) * sizeof *c->part.ops);
	if (c->partners) {
		c->present.verdict = LIN_UNKNOWN;
		all = true;
	} else if (c->options.outcome) {
		c->present.verdict = LIN_VIOLATION;
		all = arrange_loosest(&c->arrange, c->options.max_arrangements, visit_loose, &d);
		c->present.limited = !all && c->present.verdict != LIN_OK;
	} else {
		all = arrange_tightest(&c->arrange, c->options.max_arrangements, visit_tight, &d);
		c->present.limited = !all && c->present.verdict != LIN_VIOLATION;
	}
	if (c->present.limited)
		c->present.verdict = LIN_UNKNOWN;
	free(c->part.ops);
	history_free(&c->history);
}

/* ---- schedules ---- */

static void later(uint64_t *to, uint64_t phase)
{
	if (phase > *to)
		*to = phase;
}

static void compute_phases(struct lin_class *c, const struct trace *t, const uint64_t *call)
{
	const struct order *o = &c->order;

	memset(c->phase, 0, t->nevents * sizeof *c->phase);
	if (trace_final(t) != NONE)
		c->phase[trace_final(t)] = UINT64_MAX;
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];

		if (e->kind == LP_EV_CALL && e->op < t->nops && t->ops[e->op].call == i)
			later(&c->phase[i], call[c->arrange.position[e->op]]);
		if (o->next[i] != NONE)
			later(&c->phase[o->next[i]], c->phase[i]);
		for (uint32_t k = o->edge_start[i]; k < o->edge_start[i + 1]; k++)
			later(&c->phase[o->targets[k]], c->phase[i]);
	}
}

/* Merges runs of the schedule of `width` events; stable. */
static void merge_runs(const struct lin_class *c, const uint32_t *from, uint32_t *to, uint32_t n,
		       uint32_t width)
{
	for (uint32_t start = 0; start < n; start += 2 * width) {
		uint32_t middle = start + width < n ? start + width : n;
		uint32_t end = middle + width < n ? middle + width : n;
		uint32_t i = start, j = middle, k = start;

		while (i < middle || j < end) {
			if (j == end || (i < middle && c->phase[from[i]] <= c->phase[from[j]]))
				to[k++] = from[i++];
			else
				to[k++] = from[j++];
		}
	}
}

static const uint32_t *make_schedule(struct lin_class *c, const struct trace *t,
				     const uint64_t *call)
{
	uint32_t n = t->nevents, *from, *to;

	if (n >= c->capacity) {
		c->capacity = n + n / 2 + 16;
		c->phase = xreallocarray(c->phase, c->capacity, sizeof *c->phase);
		c->schedule = xreallocarray(c->schedule, c->capacity, 2 * sizeof *c->schedule);
	}
	from = c->schedule;
	to = c->schedule + n;
	for (uint32_t i = 0; i < n; i++)
		from[i] = i;
	if (!call)
		return from;
	compute_phases(c, t, call);
	for (uint32_t width = 1; width < n; width *= 2) {
		uint32_t *other = from;

		merge_runs(c, from, to, n, width);
		from = to;
		to = other;
	}
	return from;
}

/* ---- the whole ---- */

static void compute_needs(struct lin_class *c, const struct trace *t)
{
	if (!c->options.outcome) {
		order_build(&c->order, t);
		arrange_calls(&c->arrange, t, &c->order);
		return;
	}
	c->bare.nthreads = t->nthreads;
	c->bare.nevents = t->nevents;
	c->bare.events = xreallocarray(c->bare.events, t->nevents, sizeof *c->bare.events);
	for (uint32_t i = 0; i < t->nevents; i++) {
		c->bare.events[i] = t->events[i];
		c->bare.events[i].access = 0;
	}
	order_build(&c->order, &c->bare);
	arrange_returns(&c->arrange, t, &c->order);
}

int lin_class_check(struct lin_class *c, const struct trace *t, struct lin_class_result *result,
		    struct error *e)
{
	const struct answer *answer;
	uint32_t number;
	bool added;

	memset(result, 0, sizeof *result);
	weak_operations(t, c->self, c->run, &c->weak);
	compute_needs(c, t);
	put_class(c, t);
	number = numbering_add(&c->classes, c->key, c->nkey * sizeof *c->key, &added);
	if (added) {
		memset(&c->present, 0, sizeof c->present);
		c->present.verdict = LIN_OK;
		decide(c, t);
		VEC_GROW(c->answers, number, c->answers_capacity);
		c->answers[number] = c->present;
	}
	answer = &c->answers[number];
	if (answer->failed)
		return error_set(e, "%s", c->refusal.message);
	result->verdict = answer->verdict;
	result->limited = answer->limited;
	result->arrangements = answer->arrangements;
	if (answer->verdict == LIN_VIOLATION)
		result->schedule = make_schedule(c, t, answer->call);
	return 0;
}

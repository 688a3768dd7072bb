/* SPDX-License-Identifier: MIT
 *
 * Setting up the general search for a part, and running it with one worker or several.
 *
 * One worker begins alone: nearly all searches are over after a few steps. Only one that is not is
 * given to several threads. Each of them searches the whole tree from its root, but takes the
 * alternatives in an order of its own, and they share the table of failed configurations. The first
 * one to finish has the answer, and it does not matter which one that is: a linearization that was
 * found is valid, and if the root has no alternatives left there is none.
 */
#include "lin/search/private.h"

#include <stdlib.h>
#include <string.h>

#define ALONE_STEPS  20000
#define MAX_WORKERS  64
#define PRIOR_WINDOW 64   /* how many running operations are compared to find an equal one */
#define SMALL_STATE  16   /* words and changes of a state that need none */
#define SMALL        6144 /* bytes of a search that need no malloc */

struct running {
	uint32_t *ops;
	uint32_t n;
};

static bool equal_ops(const struct search *s, const struct lin_op *a, const struct lin_op *b)
{
	const int64_t *more = s->part->problem->more;

	if (a->code != b->code || a->method != b->method || a->nargs != b->nargs || a->a != b->a ||
	    a->b != b->b || a->r != b->r || (a->flags & ~OP_PENDING) != (b->flags & ~OP_PENDING))
		return false;
	/* A user specification may look at the name, the thread and the raw values. */
	if (!s->part->spec->adt->methods)
		return false;
	return a->nargs < 3 ||
	       !memcmp(more + 2 * (size_t)a->id, more + 2 * (size_t)b->id, 2 * sizeof *more);
}

/* The last operation that is called and returns before `op` returns, runs when it is called, and
 * equals it. */
static uint32_t find_prior(const struct search *s, const struct running *r, uint32_t op)
{
	const struct lin_op *o = &s->part->ops[op];
	uint32_t first = r->n > PRIOR_WINDOW ? r->n - PRIOR_WINDOW : 0;

	if (o->flags & OP_OBSERVER)
		return NONE;
	for (uint32_t i = r->n; i-- > first;) {
		const struct lin_op *other = &s->part->ops[r->ops[i]];

		if (other->ret <= o->ret && equal_ops(s, other, o))
			return r->ops[i];
	}
	return NONE;
}

/* Gives every operation a slot that no other has while it runs; returns the number of slots. */
static uint32_t assign_slots(struct search *s, uint32_t *free_slots, struct running *r)
{
	const struct lin_part *p = s->part;
	uint32_t nslots = 0, nfree = 0;

	for (uint32_t e = 0; e < p->nevents; e++) {
		uint32_t op = p->events[e] / 2;

		if (!(p->events[e] & 1)) {
			s->slot[op] = nfree ? free_slots[--nfree] : nslots++;
			s->prior[op] = find_prior(s, r, op);
			r->ops[r->n++] = op;
			continue;
		}
		free_slots[nfree++] = s->slot[op];
		for (uint32_t i = r->n; i--;)
			if (r->ops[i] == op) {
				memmove(r->ops + i, r->ops + i + 1,
					(r->n - i - 1) * sizeof *r->ops);
				r->n--;
				break;
			}
	}
	return nslots;
}

static void link_events(struct search *s)
{
	const struct lin_part *p = s->part;
	uint32_t end = p->nevents, last = end, last_pending = end + 1;

	for (uint32_t e = 0; e < end; e++) {
		bool pending = p->ops[p->events[e] / 2].flags & OP_PENDING;
		uint32_t *tail = pending ? &last_pending : &last;

		s->next[*tail] = e;
		s->previous[e] = *tail;
		*tail = e;
	}
	s->next[last] = end;
	s->previous[end] = last;
	s->next[last_pending] = end + 1;
	s->previous[end + 1] = last_pending;
}

/* Pending operations are kept in `running` for ever, which is why the slots can be counted
 * before. */
static uint32_t count_slots(const struct lin_part *p)
{
	uint32_t running = 0, most = 0;

	for (uint32_t e = 0; e < p->nevents; e++) {
		if (p->events[e] & 1)
			running--;
		else if (++running > most)
			most = running;
	}
	return most;
}

static size_t search_bytes(const struct lin_part *p, uint32_t nslots)
{
	size_t n = p->nops, words = nslots / 64 + 1;

	return words * 8 + SMALL_STATE * (sizeof(int64_t) + sizeof(struct undo)) +
	       (n + 1) * sizeof(struct frame) + 2 * (p->nevents + 2) * sizeof(uint32_t) +
	       5 * (n + 1) * sizeof(uint32_t) + n + 64;
}

static void start(struct search *s, char *at, uint32_t nslots)
{
	const struct lin_part *p = s->part;
	const struct adt *adt = p->spec->adt;
	size_t n = p->nops;
	uint32_t *scratch;
	struct running r = { 0 };

	s->nmask = nslots / 64 + 1;
	s->mask = (uint64_t *)at;
	memset(s->mask, 0, s->nmask * sizeof *s->mask);
	s->state.w = (int64_t *)(s->mask + s->nmask);
	s->state.log = (struct undo *)(s->state.w + SMALL_STATE);
	s->state.capacity = s->state.log_capacity = SMALL_STATE;
	s->frames = (struct frame *)(s->state.log + SMALL_STATE);
	s->next = (uint32_t *)(s->frames + n + 1);
	s->previous = s->next + p->nevents + 2;
	s->slot = s->previous + p->nevents + 2;
	s->prior = s->slot + n + 1;
	s->best = s->prior + n + 1;
	scratch = s->best + n + 1;
	s->done = (bool *)(scratch + 2 * (n + 1));
	memset(s->done, 0, n);
	r.ops = scratch;
	assign_slots(s, scratch + n + 1, &r);
	link_events(s);
	s->step = adt->step;
	s->pool = p->spec->pool;
	s->determined = (adt->traits & ADT_DETERMINED) && !p->nany;
	s->state.problem = p->problem;
	s->state.part = p;
	if (adt->init)
		adt->init(&s->state, p->spec->parameters, p->spec->nparameters);
	s->state.nlog = 0;
}

static void search_make(struct search *s, const struct lin_part *p, struct lin_run *run,
			struct memo *memo, char *buffer, size_t size)
{
	uint32_t nslots = count_slots(p);
	size_t bytes = search_bytes(p, nslots);

	memset(s, 0, sizeof *s);
	s->part = p;
	s->run = run;
	s->memo = memo;
	s->block = bytes <= size ? NULL : xmalloc(bytes);
	start(s, s->block ? s->block : buffer, nslots);
}

static void search_end(struct search *s)
{
	state_free(&s->state);
	free(s->block);
}

struct team {
	const struct lin_part *part;
	struct lin_run *run;
	struct memo *memo;
	int stop;
};

struct worker {
	pthread_t thread;
	struct team *team;
	struct search search;
	enum search_end end;
	int number;
	bool started;
};

static void *work(void *argument)
{
	struct worker *w = argument;

	w->search.stop = &w->team->stop;
	w->search.backwards = w->number & 1;
	w->search.pending_first = w->number & 2;
	w->end = search_go(&w->search, SIZE_MAX);
	if (w->end != SEARCH_STOPPED)
		__atomic_store_n(&w->team->stop, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Continues the search `first` in parallel with others; `first` gets the answer. */
static enum search_end work_together(struct search *first, struct team *team, int n)
{
	struct worker *workers = xcalloc((size_t)n, sizeof *workers);
	enum search_end end;
	int chosen;

	lin_memo_share(team->memo);
	workers[0] = (struct worker){ .team = team, .search = *first };
	for (int i = 1; i < n; i++) {
		workers[i].team = team;
		workers[i].number = i;
		search_make(&workers[i].search, team->part, team->run, team->memo, NULL, 0);
		workers[i].started = !pthread_create(&workers[i].thread, NULL, work, &workers[i]);
	}
	work(&workers[0]);
	for (int i = 1; i < n; i++)
		if (workers[i].started)
			pthread_join(workers[i].thread, NULL);
	chosen = 0;
	for (int i = n; i-- > 0;)
		if ((i == 0 || workers[i].started) && workers[i].end != SEARCH_STOPPED)
			chosen = i;
	end = workers[chosen].end;
	for (int i = 0; i < n; i++)
		if (i != chosen)
			search_end(&workers[i].search);
	*first = workers[chosen].search;
	free(workers);
	return end;
}

static void report(struct search *s, enum search_end end, bool want_order,
		   struct search_result *out)
{
	const struct lin_part *p = s->part;
	uint32_t n = end == SEARCH_FOUND ? s->depth : s->deepest;

	out->steps = s->steps;
	__atomic_fetch_add(&s->run->steps, s->steps, __ATOMIC_RELAXED);
	out->verdict = end == SEARCH_FOUND  ? LIN_OK
		       : end == SEARCH_NONE ? LIN_VIOLATION
					    : LIN_UNKNOWN;
	if (!want_order && out->verdict != LIN_UNKNOWN)
		return;
	out->order = xreallocarray(NULL, n, sizeof *out->order);
	out->norder = n;
	memset(s->done, 0, p->nops);
	for (uint32_t i = 0; i < n; i++) {
		out->order[i] = end == SEARCH_FOUND ? s->frames[i].op : s->best[i];
		s->done[out->order[i]] = true;
	}
	out->blocked = NONE;
	for (uint32_t e = 0; e < p->nevents && out->blocked == NONE; e++)
		if ((p->events[e] & 1) && !s->done[p->events[e] / 2])
			out->blocked = p->events[e] / 2;
}

void search_part(const struct lin_part *part, struct lin_run *run, int workers, bool want_order,
		 struct search_result *out)
{
	uint64_t buffer[SMALL / 8];
	struct memo memo;
	struct search s;
	enum search_end end;

	memset(out, 0, sizeof *out);
	lin_memo_init(&memo, run->memory_limit, &run->memory);
	search_make(&s, part, run, &memo, (char *)buffer, sizeof buffer);
	end = search_go(&s, workers > 1 ? ALONE_STEPS : SIZE_MAX);
	if (end == SEARCH_BUDGET) {
		struct team team = { part, run, &memo, 0 };

		end = work_together(&s, &team, workers > MAX_WORKERS ? MAX_WORKERS : workers);
	}
	report(&s, end, want_order, out);
	search_end(&s);
	lin_memo_free(&memo);
}

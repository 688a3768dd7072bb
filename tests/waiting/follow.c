/* SPDX-License-Identifier: MIT */
#include "follow.h"
#include "emit.h"

#include <stddef.h>

int thread_number(const struct run *run, uint32_t thread)
{
	const struct thread_info *t = &run->threads[thread];

	return t->parent == NONE ? -1 : (int)t->number - 1;
}

int variable_at(const struct program *p, const struct run *run, uint32_t location)
{
	const struct location *l, *shared;
	uint64_t at;

	if (location == NONE || run->nobjects != 1)
		return -1;
	l = &run->locations[location];
	shared = &run->locations[run->objects[0].location];
	at = l->offset - shared->offset;
	if (l->region != shared->region || at >= sizeof(struct emitted_shared))
		return -1;
	if (at < NUMBERS)
		return p->plain >> at & 1 ? -1 : (int)at;
	at -= offsetof(struct emitted_shared, plain);
	if (at < NUMBERS)
		return p->plain >> at & 1 ? (int)at : -1;
	at += offsetof(struct emitted_shared, plain);
	if (at < offsetof(struct emitted_shared, mutex))
		return -1;
	at -= offsetof(struct emitted_shared, mutex);
	return NUMBERS + (int)(at / sizeof(pthread_mutex_t));
}

static bool is_access(const struct event *e)
{
	switch (e->kind) {
	case LP_EV_READ:
	case LP_EV_WRITE:
	case LP_EV_RMW:
	case LP_EV_CAS_FAIL:
	case LP_EV_LOCK:
	case LP_EV_UNLOCK:
	case LP_EV_TRYLOCK_FAIL:
		return true;
	default:
		return false;
	}
}

/* Is the event of a kind that this instruction may make? A store or exchange of the value that is
 * there may be called a read. */
static bool kind_fits(const struct event *e, unsigned op, bool changes)
{
	switch (op) {
	case OP_LOCK:
		return e->kind == LP_EV_LOCK;
	case OP_UNLOCK:
		return e->kind == LP_EV_UNLOCK;
	case OP_TRYLOCK:
		return e->kind == (changes ? LP_EV_LOCK : LP_EV_TRYLOCK_FAIL);
	case OP_LOAD:
		return e->kind == LP_EV_READ;
	case OP_CAS:
		return !changes || e->kind == LP_EV_RMW;
	default:
		return e->kind == LP_EV_WRITE || e->kind == LP_EV_RMW ||
		       (!changes && e->kind == LP_EV_READ);
	}
}

static bool values_fit(const struct run *run, const struct event *e, uint8_t old, uint8_t new)
{
	uint64_t before = (uint64_t)old << EMITTED_SHIFT, after = (uint64_t) new << EMITTED_SHIFT;

	if (run->sites[e->site].flags & LP_SITE_NOVALUE)
		return true;
	switch (e->kind) {
	case LP_EV_READ:
	case LP_EV_CAS_FAIL:
		return e->value[0] == before;
	case LP_EV_WRITE:
		return e->value[0] == after;
	case LP_EV_RMW:
		return e->value[0] == before && e->value[1] == after;
	default:
		return true;
	}
}

bool follow(const struct program *p, const struct run *run, const struct trace *t, struct state *s,
	    char *why, size_t size)
{
	program_start(p, s);
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];
		const struct instruction *next;
		int n = thread_number(run, e->thread);
		uint8_t old, new, pc;

		if (n < 0 || !is_access(e))
			continue;
		/* Yields are no steps here, so an assertion fails before the yield in front of it; others
		 * may go on meanwhile. */
		if (s->failed)
			break;
		next = program_next(p, s, (unsigned)n);
		pc = s->pc[n];
		if (variable_at(p, run, e->location) != next->x ||
		    !program_enabled(p, s, (unsigned)n)) {
			snprintf(why, size,
				 "event %u: thread %d accesses variable %d, but is at %u (%s %u)",
				 i, n, variable_at(p, run, e->location), pc, opcode_name(next->op),
				 next->x);
			return false;
		}
		old = s->value[next->x];
		new = program_step(p, s, (unsigned)n);
		if (!kind_fits(e, next->op, old != new) || !values_fit(run, e, old, new)) {
			snprintf(why, size,
				 "event %u: thread %d at %u (%s %u, %u becomes %u): event of kind "
				 "%u with values %llu %llu",
				 i, n, pc, opcode_name(next->op), next->x, old, new, e->kind,
				 (unsigned long long)e->value[0] >> EMITTED_SHIFT,
				 (unsigned long long)e->value[1] >> EMITTED_SHIFT);
			return false;
		}
	}
	return true;
}

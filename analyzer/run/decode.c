/* SPDX-License-Identifier: MIT
 *
 * The body of a class record: its events, the operations they form, and the outcome.
 */
#include "run/private.h"

#include <string.h>

/* Offsets in a stack count down from its top; the distance from here ascends with the address. */
#define STACK_BASE (1ULL << 62)

static void begin_operation(struct run_private *p, struct event *ev, struct operation *op)
{
	uint32_t outer_capacity = p->outer_capacity;

	VEC_GROW(p->outer, p->nops, outer_capacity);
	p->outer_capacity = outer_capacity;
	VEC_GROW(p->ops, p->nops, p->ops_capacity);
	p->outer[p->nops] = p->current[ev->thread];
	op->thread = ev->thread;
	op->object = ev->location;
	op->name = ev->other;
	op->call = p->nevents;
	op->ret_event = NONE;
	p->ops[p->nops] = *op;
	p->current[ev->thread] = ev->op = p->nops++;
}

/* A return without a call is a mistake of the program; it ends nothing. */
static void end_operation(struct run_private *p, const struct event *ev)
{
	struct operation *op;

	if (ev->op == NONE)
		return;
	op = &p->ops[ev->op];
	op->ret_event = p->nevents;
	op->ret_kind = (uint8_t)ev->other;
	op->ret = (int64_t)ev->value[0];
	p->current[ev->thread] = p->outer[ev->op];
}

static int decode_location(struct cursor *c, struct event *ev)
{
	const struct location *l;

	if (cursor_id(c, c->run->nlocations, "location", &ev->location))
		return -1;
	l = &c->run->locations[ev->location];
	ev->region = l->region;
	ev->offset = l->type == LP_LOC_STACK ? STACK_BASE - l->offset : l->offset;
	return 0;
}

static int decode_block(struct cursor *c, struct event *ev)
{
	uint64_t size;

	if (decode_location(c, ev) || cursor_varint(c, &size))
		return -1;
	ev->size = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
	return 0;
}

static int decode_call(struct cursor *c, struct event *ev)
{
	struct operation op = { 0 };

	if (decode_location(c, ev) || cursor_id(c, c->run->nstrings, "string", &ev->other) ||
	    cursor_id(c, 5, "number of arguments", &op.nargs))
		return -1;
	for (uint32_t i = 0; i < op.nargs; i++)
		if (cursor_svarint(c, &op.args[i]))
			return -1;
	begin_operation(c->run->private, ev, &op);
	return 0;
}

static int decode_return(struct cursor *c, struct event *ev)
{
	uint8_t kind;
	int64_t value;

	if (cursor_byte(c, &kind))
		return -1;
	if (kind > 2) {
		c->p--;
		return cursor_broken(c, "kind of result %u, expected 0, 1 or 2", kind);
	}
	if (cursor_svarint(c, &value))
		return -1;
	ev->other = kind;
	ev->value[0] = (uint64_t)value;
	end_operation(c->run->private, ev);
	return 0;
}

static int decode_values(struct cursor *c, struct event *ev, unsigned n, unsigned flags)
{
	if (decode_location(c, ev))
		return -1;
	if (flags & LP_SITE_NOVALUE)
		return 0;
	for (unsigned i = 0; i < n; i++)
		if (cursor_varint(c, &ev->value[i]))
			return -1;
	return 0;
}

static int decode_fields(struct cursor *c, struct event *ev, unsigned flags)
{
	switch (ev->kind) {
	case LP_EV_READ:
	case LP_EV_WRITE:
	case LP_EV_CAS_FAIL:
		return decode_values(c, ev, 1, flags);
	case LP_EV_RMW:
		return decode_values(c, ev, 2, flags);
	case LP_EV_WAIT:
	case LP_EV_BROADCAST:
		if (decode_location(c, ev))
			return -1;
		return lp_kind_second(ev->kind, flags)
			       ? cursor_id(c, c->run->nlocations, "location", &ev->location2)
			       : 0;
	case LP_EV_FREE:
	case LP_EV_ALLOC:
		return decode_block(c, ev);
	case LP_EV_CREATE:
	case LP_EV_JOIN:
		return cursor_id(c, c->run->nthreads, "thread", &ev->other);
	case LP_EV_CALL:
		return decode_call(c, ev);
	case LP_EV_RETURN:
		return decode_return(c, ev);
	case LP_EV_START:
	case LP_EV_EXIT:
	case LP_EV_EXIT_ALL:
	case LP_EV_FENCE:
	case LP_EV_YIELD:
		return 0;
	case LP_EV_NONE:
		return cursor_broken(c, "an event at a site that is not one of events");
	default:
		return decode_location(c, ev);
	}
}

int decode_event(struct cursor *c, struct event *ev, uint32_t *thread)
{
	const struct run *run = c->run;
	const uint8_t *at = c->p;
	const struct site *site;
	uint64_t v;

	if (cursor_varint(c, &v))
		return -1;
	if (v >> 1 >= run->nsites) {
		c->p = at;
		return cursor_broken(c, "site %llu, expected one of the %u before this",
				     (unsigned long long)(v >> 1), run->nsites);
	}
	if (v & 1 ? cursor_id(c, run->nthreads, "thread", thread) : *thread >= run->nthreads)
		return v & 1 ? -1 : cursor_broken(c, "an event before any thread is defined");
	site = &run->sites[v >> 1];
	*ev = (struct event){
		.site = (uint32_t)(v >> 1),
		.thread = (uint16_t)*thread,
		.kind = site->kind,
		.access = (uint8_t)lp_access(site->kind, site->flags),
		.futex = site->flags & LP_SITE_FUTEX && lp_futex_kind(site->kind),
		.size = site->size,
		.location = NONE,
		.location2 = NONE,
		.region = NONE,
		.op = run->private->current[*thread],
		.other = NONE,
	};
	/* A lock has no size of its own at some sites; it still collides with itself. */
	if (!ev->size && ev->access && ev->kind > LP_EV_CAS_FAIL)
		ev->size = 1;
	return decode_fields(c, ev, site->flags);
}

void truncate_base(struct run *run, uint32_t keep)
{
	struct run_private *p = run->private;

	if (p->current_capacity < run->nthreads) {
		p->current_capacity = run->nthreads;
		p->current = xreallocarray(p->current, run->nthreads, sizeof *p->current);
	}
	if (run->nthreads)
		memset(p->current, 0xff, run->nthreads * sizeof *p->current);
	p->nevents = keep;
	while (p->nops && p->ops[p->nops - 1].call >= keep)
		p->nops--;
	for (uint32_t i = 0; i < p->nops; i++) {
		struct operation *op = &p->ops[i];

		if (op->ret_event >= keep) {
			op->ret_event = NONE;
			p->current[op->thread] = i;
		}
	}
}

static int decode_waiter(struct cursor *c, struct waiter *w)
{
	const struct run *run = c->run;

	if (cursor_id(c, run->nthreads, "thread", &w->thread) ||
	    cursor_id_or_none(c, run->nsites, "site", &w->site) ||
	    cursor_id_or_none(c, run->nlocations, "location", &w->location) ||
	    cursor_id_or_none(c, run->nthreads, "thread", &w->holder) || cursor_byte(c, &w->why))
		return -1;
	if (w->why >= LP_WAIT_COUNT) {
		c->p--;
		return cursor_broken(c, "reason for waiting %u, expected less than %d", w->why,
				     LP_WAIT_COUNT);
	}
	return 0;
}

int decode_outcome(struct cursor *c, struct trace *t)
{
	const struct run *run = c->run;
	struct outcome *o = &t->outcome;
	uint32_t nwait;

	o->nwaiters = 0;
	if (cursor_byte(c, &o->kind))
		return -1;
	if (o->kind >= LP_OUT_DATA_RACE) {
		c->p--;
		return cursor_broken(c, "outcome %u, expected less than %d", o->kind,
				     LP_OUT_DATA_RACE);
	}
	if (cursor_id(c, run->nthreads, "thread", &o->thread) ||
	    cursor_id_or_none(c, run->nsites, "site", &o->site) || cursor_svarint(c, &o->code) ||
	    cursor_id_or_none(c, run->nstrings, "string", &o->message) ||
	    cursor_id_or_none(c, run->nstacks, "stack", &o->stack) ||
	    cursor_id(c, READER_MAX_ENTRIES, "number of waiting threads", &nwait))
		return -1;
	while (o->nwaiters < nwait) {
		VEC_GROW(o->waiters, o->nwaiters, t->waiters_capacity);
		if (decode_waiter(c, &o->waiters[o->nwaiters]))
			return -1;
		o->nwaiters++;
	}
	if (c->p != c->end)
		return cursor_broken(c, "expected the end of the class record");
	return 0;
}

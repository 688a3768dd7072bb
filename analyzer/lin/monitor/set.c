/* SPDX-License-Identifier: MIT
 *
 * Set, one key, any number of adds and removes: O(n), or O(n log k) with k operations running at a
 * time.
 *
 * The state is whether the key is present. It is changed as late as possible: only when an
 * operation returns that needs the other state, and then by the successful operation of the right
 * kind that returns first. That is right by an exchange: of two operations that could make a
 * change, the one that has to happen earlier never serves better later. Operations that only look
 * (contains, failed adds and removes) are satisfied by any moment of theirs with the right state.
 * Adds and removes that never returned may make changes when nothing else can.
 */
#include "lin/monitor/heap.h"
#include "lin/monitor/monitor.h"

#include <stdlib.h>

struct set_monitor {
	const struct lin_part *part;
	/* Successful operations that run and have not made their change; [1]: adds, [0]: removes */
	struct return_heap waiting[2];
	bool *made; /* by operation: has made its change */
	bool present;
	uint32_t left[2]; /* event at which the state was last left, + 1; 0: never was */
};

/* Makes the state `present` if it is not; false if nobody can. */
static bool reach(struct set_monitor *m, bool present, uint32_t event)
{
	if (m->present == present)
		return true;
	if (!m->waiting[present].n)
		return false;
	m->made[heap_pop(&m->waiting[present], m->part)] = true;
	m->left[m->present] = event + 1;
	m->present = present;
	return true;
}

/* The state that an operation which does not change it has to see. */
static bool sees(const struct lin_op *op, enum set_role role)
{
	return role == SET_CONTAINS ? op_true(op) : role == SET_ADD;
}

static bool on_return(struct set_monitor *m, uint32_t op, enum set_role role, uint32_t event)
{
	const struct lin_op *o = &m->part->ops[op];
	bool target;

	if (o->flags & OP_OBSERVER) {
		target = sees(o, role);
		return m->left[target] > o->call || reach(m, target, event);
	}
	if (m->made[op])
		return true;
	target = role == SET_ADD;
	/* This one is the first of its heap to return, so the second change is its own. */
	return reach(m, !target, event) && reach(m, target, event);
}

static bool sweep(struct set_monitor *m, const enum set_role *roles)
{
	const struct lin_part *p = m->part;

	for (uint32_t e = 0; e < p->nevents; e++) {
		uint32_t op = p->events[e] / 2;
		const struct lin_op *o = &p->ops[op];
		enum set_role role = roles[o->code];

		if (p->events[e] & 1) {
			if (!on_return(m, op, role, e))
				return false;
		} else if (!(o->flags & OP_OBSERVER)) {
			heap_push(&m->waiting[role == SET_ADD], p, op);
		}
	}
	return true;
}

static bool has_shape(const struct lin_part *p, const enum set_role *roles)
{
	for (uint32_t i = 0; i < p->nops; i++) {
		const struct lin_op *op = &p->ops[i];

		if (roles[op->code] == SET_OTHER || op->a != p->ops[0].a)
			return false;
		if ((op->flags & OP_ANY) && !(op->flags & OP_PENDING))
			return false;
	}
	return true;
}

enum monitor_answer monitor_set(const struct lin_part *part, const enum set_role *roles,
				struct monitor_core *core)
{
	struct set_monitor m = { .part = part };
	bool ok;

	if (!has_shape(part, roles))
		return MONITOR_DECLINES;
	m.waiting[0].ops = xreallocarray(NULL, 2 * (size_t)part->nops, sizeof *m.waiting[0].ops);
	m.waiting[1].ops = m.waiting[0].ops + part->nops;
	m.made = xcalloc(part->nops, sizeof *m.made);
	ok = sweep(&m, roles);
	free(m.waiting[0].ops);
	free(m.made);
	return ok ? MONITOR_OK : MONITOR_VIOLATION;
}

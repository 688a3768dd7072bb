/* SPDX-License-Identifier: MIT
 *
 * Of threads that wait for conditions at the end of an execution: signals that they did not get.
 */
#include "report/signals.h"

/* Threads that wait on the condition at event `at`, and whether `thread` does; *others: how many do. */
static bool waits_at(const struct trace *t, uint32_t condition, uint32_t thread, uint32_t at,
		     uint32_t *others)
{
	bool waits = false;

	*others = 0;
	for (uint32_t i = 0; i < at; i++) {
		const struct event *e = &t->events[i];
		bool leaves = e->kind == LP_EV_WAKE || e->kind == LP_EV_TIMEOUT;

		if (e->location != condition || (e->kind != LP_EV_WAIT && !leaves))
			continue;
		if (e->thread == thread)
			waits = !leaves;
		else if (leaves)
			--*others;
		else
			++*others;
	}
	return waits;
}

static void one_of_many(FILE *out, struct srcmap *m, const struct run *run, const struct trace *t,
			const struct waiter *waiter)
{
	for (uint32_t i = 0; i < t->nevents; i++) {
		uint32_t others;

		if (t->events[i].kind != LP_EV_SIGNAL || t->events[i].location != waiter->location ||
		    !waits_at(t, waiter->location, waiter->thread, i, &others) || !others)
			continue;
		fprintf(out, "%s: note: one signal, while %u threads wait for it: T%s waits on\n",
			srcmap_place(m, srcmap_own_frame(m, t->events[i].site), false), others + 1,
			run->threads[waiter->thread].name);
	}
}

/* The last event before event `before` by which the thread of a waiter waits for its condition, or takes this
 * lock; NONE. */
static uint32_t last_of(const struct trace *t, const struct waiter *waiter, unsigned kind, uint32_t location,
			uint32_t before)
{
	while (before-- > 0) {
		const struct event *e = &t->events[before];

		if (e->thread == waiter->thread && e->kind == kind && e->location == location)
			return before;
	}
	return NONE;
}

/* A signal that comes between the test and the wait. It could not if it were given under the lock that the wait
 * gives back. */
static void too_early(FILE *out, struct srcmap *m, const struct run *run, const struct trace *t,
		      const struct waiter *waiter)
{
	uint32_t wait = last_of(t, waiter, LP_EV_WAIT, waiter->location, t->nevents);
	uint32_t mutex = wait == NONE ? NONE : t->events[wait].location2;
	uint32_t lock = mutex == NONE ? NONE : last_of(t, waiter, LP_EV_LOCK, mutex, wait);

	for (uint32_t i = lock; lock != NONE && i < wait; i++) {
		const struct event *e = &t->events[i];

		if ((e->kind != LP_EV_SIGNAL && e->kind != LP_EV_BROADCAST) ||
		    e->location != waiter->location)
			continue;
		fprintf(out, "%s: note: the signal comes before T%s waits",
			srcmap_place(m, srcmap_own_frame(m, e->site), false),
			run->threads[waiter->thread].name);
		fprintf(out, ", but after it has taken `%s`; given while `%s` is held, it could not come there\n",
			srcmap_location(m, mutex), srcmap_location(m, mutex));
	}
}

void report_signals(FILE *out, struct srcmap *m, const struct run *run, const struct trace *t)
{
	for (uint32_t w = 0; w < t->outcome.nwaiters; w++) {
		const struct waiter *waiter = &t->outcome.waiters[w];

		if (waiter->why != LP_WAIT_CONDITION)
			continue;
		one_of_many(out, m, run, t, waiter);
		too_early(out, m, run, t, waiter);
	}
}

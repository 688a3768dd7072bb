/* SPDX-License-Identifier: MIT
 *
 * For the scheduler: the chosen fiber makes its step.
 */
#ifndef LP_COMMIT_H
#define LP_COMMIT_H

#include "owners.h"
#include "sched.h"

#define MARGIN 8 /* notes that an event may bring with it */

struct event *commit(struct fiber *f);

/* The same schedule must lead to the same events; anything else would make every claim of the
 * search void. */
void diverged(const char *what) __attribute__((noreturn));

/* The fiber makes its step, which is in the log. */
static inline void made(struct fiber *f, uint32_t index)
{
	rt->waiting.unsettled = index + 1;
	f->rounds.own = index + 1;
	f->last_event = index;
	rt->steps++;
	rt->progress++;
}

/* The step that the fiber is about to make is in the log already. */
static inline void commit_same(struct fiber *f, struct event *e, uint32_t index, int kind)
{
	const struct pending *p = &f->pending;

	if (e->kind != kind || e->addr != p->addr || e->pc != p->pc || e->thread != f->id)
		diverged("event");
	f->seq = e->seq;
	if (e->acquired != NO_EVENT || kind == LP_EV_LOCK || kind == LP_EV_RDLOCK || kind == LP_EV_ONCE)
		locks_update(f, e, index);
}

/* The same where all that was derived from the step is there, too (rt->kept). */
static inline struct event *commit_again(struct fiber *f)
{
	uint32_t index = rt->n;
	struct event *e = &rt->log[index];
	int kind = resolve(f);

	rt->n++;
	commit_same(f, e, index, kind);
	made(f, index);
	return debug_event(e);
}

/* What was derived from a step of the execution before becomes the thread's again. */
static inline void settle_kept(struct fiber *f, const struct event *e, uint32_t index)
{
	f->late_write = NO_EVENT;
	clock_copy(f->clock, rt->clocks[index]);
	f->now = e->time;
	f->busy = e->busy;
}

static inline void settle_rounds(struct fiber *f, const struct event *e, uint32_t index)
{
	if (e->access > LP_READS) {
		f->rounds.changed = index + 1;
		f->rounds.sum += change_of(e);
	}
	f->rounds.news += e->news;
}

/* Settles the latest step, if nobody has to be told of it. */
static inline bool settle_quietly(void)
{
	const struct waiting *w = &rt->waiting;
	uint32_t index = w->unsettled - 1;
	const struct event *e = &rt->log[index];
	struct fiber *f;

	if (index >= rt->kept || e->news || w->stuck | w->delayed | w->vain)
		return false;
	f = &rt->fibers[e->thread];
	if (UNLIKELY(f->twins.next) || vain_counts(f, index))
		return false;
	rt->waiting.unsettled = 0;
	settle_kept(f, e, index);
	settle_rounds(f, e, index);
	return true;
}

#endif

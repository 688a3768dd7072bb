/* SPDX-License-Identifier: MIT
 *
 * A search strategy answers one question, "which enabled thread next?", and is told what each step
 * did. The scheduler knows strategies by this interface only. Each is a file in search/, and
 * format/search.h lists them.
 *
 * What a strategy must remember from one execution to the next is in memory of the runtime
 * (memory_get), which the children of --isolate=fork share. An ordinary variable that pick, step or
 * end has changed is lost there with the child; only what init and begin set lasts.
 */
#ifndef LP_STRATEGY_H
#define LP_STRATEGY_H

#include "../format/search.h"

#include <stdbool.h>
#include <stdint.h>

struct strategy {
	/* Once, before the first execution. May be NULL. */
	void (*init)(void);
	/* Before an execution: how many leading events of the log are replayed, and who comes then
	 * (-1: ask pick). False: nothing is left to explore. */
	bool (*begin)(uint32_t *prefix, int32_t *choice);
	/* Which of the enabled fibers (never 0) next? It makes event rt->n of the log. -1: stop
	 * here, this execution is redundant. */
	int (*pick)(uint64_t enabled);
	/* A step is about to be added to the log as event i (not one replayed from the prefix) and
	 * is filled in but for values. `conflicts` are the n earlier events that it conflicts with,
	 * at most one a thread (the latest), latest first; `clock` is the fiber's clock before it.
	 * May be NULL. */
	void (*step)(uint32_t i, const uint32_t *conflicts, unsigned n, const uint32_t *clock);
	/* Blocks are in force, and the step of one thread that begins at `from` and ends before `to`
	 * is complete: step() has been called for its events. It comes before choices, and before
	 * end(). May be NULL. */
	void (*whole)(uint32_t from, uint32_t to);
	/* The step that began at rt->head had to wait inside a block. Called in place of end(); the
	 * next begin() finds rt->aborted set, and that thread must not be chosen there (rt->barred).
	 * May be NULL. */
	void (*aborted)(void);
	/* The execution is over. May be NULL. */
	void (*end)(void);
	/* Other processes go on from the stack as it is: what was to be added to it later is added now.
	 * May be NULL. */
	void (*divide)(void);
	/* Part of the search that is done, 0..1, or negative. May be NULL. */
	double (*estimate)(void);
	/* Each complete execution is recorded: no two are equivalent, or all were asked for. */
	bool distinct;
	/* Its begin() uses frames.h. */
	bool frames;
	/* A thread that waits in a loop goes on once there is news for it. The execution without its
	 * vain rounds shows the same, but a search that draws may never come to that one. */
	bool wakes;
	/* It asks for fingerprint(). */
	bool stateful;
	/* No rule for threads that wait holds: who goes round comes to a state that was met before, and
	 * the execution ends there. */
	bool unruled;
};

/* search/registry.c; steps: blocks are in force, so that a step may be of several events */
const struct strategy *strategy_of(enum lp_search search, bool steps);

#endif

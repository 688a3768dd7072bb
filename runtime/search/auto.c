/* SPDX-License-Identifier: MIT
 *
 * What is done if nobody says how to search. At first every class once, and a small client is
 * finished by that alone. After ALONE executions, random search gets its turns: as many as the
 * exhaustive one where that will not be finished within the bounds, as far as the estimate can
 * tell, or where it has nothing to tell from and little was done so far; few otherwise, since it
 * may be wrong. What random search adds is no claim: only the exhaustive search ends as complete, and
 * then classes that both have met count once.
 *
 * Whose turn it is does not depend on the clock, or two runs would not do the same. How long something
 * takes is told from the events of all executions.
 *
 * Each search keeps a log of its own, for that of the exhaustive one is its stack.
 */
#include "../memory.h"
#include "../observed.h"
#include "../state.h"
#include "../strategy.h"
#include "frames.h"

#define ALONE 2000u /* executions before the first that is drawn */
#define CHEAP 10000u /* so many are soon made: while nothing is known of the end, both searches have their turns */
#define TURN  100u   /* executions in a row */
#define FEW   7u     /* turns of the exhaustive search for one of the other, if it will be finished */

/* About how long an event takes, and what each execution takes besides, on an ordinary machine. */
#define EVENTS_A_SECOND  3e6
#define EVENTS_TO_PREPARE 20

static struct strategy exhaustive, drawing; /* as they are, but for classes that are met twice */

static struct automatic {
	bool drawing;
	bool late;       /* it will not be finished */
	uint64_t began;  /* executions when this turn began */
	uint64_t drawn;  /* executions of the random search before it */
	struct event *log; /* of the one that does not run now */
	uint32_t (*clocks)[MAX_FIBERS];
	uint64_t *enabled;
	struct others *others;
	uint32_t n, prefix;
	int32_t choice;
} *automatic;

static void init(void)
{
	struct automatic *a = automatic = memory_get(sizeof *a);

	a->log = memory_get(log_capacity() * sizeof *a->log);
	a->clocks = memory_get(log_capacity() * sizeof *a->clocks);
	a->enabled = memory_get(log_capacity() * sizeof *a->enabled);
	if (rt->config.observers)
		a->others = memory_get(log_capacity() * sizeof *a->others);
	exhaustive = *strategy_of(LP_SEARCH_DPOR, false);
	drawing = *strategy_of(LP_SEARCH_RANDOM, false);
	exhaustive.distinct = false;
	exhaustive.init();
	drawing.init();
}

#define EXCHANGE(a, b)                                                                             \
	do {                                                                                       \
		__typeof__(a) kept_ = (a);                                                         \
		(a) = (b);                                                                         \
		(b) = kept_;                                                                       \
	} while (0)

static void take_turns(void)
{
	struct automatic *a = automatic;
	uint64_t now = rt->status->executions;

	if (a->drawing)
		a->drawn += now - a->began;
	a->began = now;
	a->drawing = !a->drawing;
	EXCHANGE(rt->log, a->log);
	EXCHANGE(rt->clocks, a->clocks);
	EXCHANGE(rt->enabled, a->enabled);
	EXCHANGE(rt->others, a->others);
	EXCHANGE(rt->n, a->n);
	EXCHANGE(rt->prefix, a->prefix);
	EXCHANGE(rt->choice, a->choice);
	rt->keep = 0; /* the class written last is of the other */
}

/* Will the exhaustive search be finished within the bounds, if it goes on alone? While that cannot be
 * told, half of what is allowed is left to it, but for the first executions. */
static bool will_finish(void)
{
	const struct lp_status *s = rt->status;
	const struct config *c = &rt->config;
	double done = frames_estimate(), all = (double)s->executions;
	double mine = all - (double)automatic->drawn;
	double elapsed = ((double)s->events + all * EVENTS_TO_PREPARE) / EVENTS_A_SECOND;
	double most = (double)c->max_executions, left;

	rt->status->estimate = done;
	if (done <= 0)
		return all >= CHEAP && (!c->max_executions || all < most / 2) &&
		       (c->max_time <= 0 || elapsed < c->max_time / 2);
	left = mine / done - mine;
	if (c->max_executions && left > most - all)
		return false;
	return c->max_time <= 0 || elapsed / all * left <= c->max_time - elapsed;
}

static uint64_t alone(void)
{
	uint64_t most = rt->config.max_executions / 2;

	return most && most < ALONE ? most : ALONE;
}

/* Is it the other one's turn? */
static bool turn_is_over(void)
{
	struct automatic *a = automatic;
	uint64_t executions = rt->status->executions, in_turn = executions - a->began;

	if (rt->need_again || rt->aborted || in_turn < TURN)
		return false;
	if (a->drawing)
		return true;
	if (executions < alone())
		return false;
	if (in_turn % TURN == 0)
		a->late = !will_finish();
	return a->late || in_turn >= FEW * TURN;
}

static bool begin(uint32_t *prefix, int32_t *choice)
{
	struct automatic *a = automatic;
	bool more;

	if (rt->need_restart) {
		if (a->drawing)
			take_turns();
		drawing.begin(prefix, choice); /* it forgets all as well */
		a->began = a->drawn = 0;
		a->late = false;
	} else if (turn_is_over()) {
		take_turns();
	}
	rt->strategy = a->drawing ? &drawing : &exhaustive;
	drawing.wakes = a->late;
	more = rt->strategy->begin(prefix, choice);
	rt->status->drawn = a->drawn + (a->drawing ? rt->status->executions - a->began : 0);
	return more;
}

const struct strategy strategy_auto = {
	.init = init,
	.begin = begin,
	.estimate = frames_estimate,
};

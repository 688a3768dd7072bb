/* SPDX-License-Identifier: MIT
 *
 * Probabilistic concurrency testing: Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized
 * Scheduler with Probabilistic Guarantees of Finding Bugs", ASPLOS 2010.
 *
 * Every thread has a random priority, and the highest one that can run runs. At d - 1 steps, drawn
 * before from the k of an execution, the thread that is about to make it falls below all others. A
 * bug that needs d orderings between steps is met with probability 1/(n k^(d-1)) at least in each
 * execution of n threads. Only steps on memory that several threads touch are counted: a change
 * before another step is as good as one before the next of these. k is the most that an execution
 * had until now.
 */
#include "sampling.h"
#include "../memory.h"

#define DEPTH 3
#define HIGH  (1ULL << 32)

static struct pct {
	uint64_t priority[MAX_FIBERS]; /* 0: not drawn yet */
	uint32_t change[DEPTH - 1];    /* before these steps, from 1 */
	uint32_t counted;
	bool now[MAX_FIBERS]; /* its next step has been counted */
} *pct;

static void init(void)
{
	if (!pct)
		pct = memory_get(sizeof *pct);
}

static void begin(void)
{
	zero(pct, sizeof *pct);
	for (unsigned i = 0; i < DEPTH - 1 && sampling->most; i++)
		pct->change[i] = 1 + draw_below(sampling->most);
	rt->status->change_points = DEPTH - 1;
	rt->status->counted_steps = sampling->most;
}

static int highest(uint64_t set)
{
	int best = -1;

	for (; set; set &= set - 1) {
		int id = __builtin_ctzll(set);

		if (!pct->priority[id])
			pct->priority[id] = HIGH + (draw() >> 1);
		if (best < 0 || pct->priority[id] > pct->priority[best])
			best = id;
	}
	return best;
}

/* The thread's next step is its turn: is there a change of priorities before it? */
static bool falls(int id)
{
	bool yes = false;

	if (pct->now[id] || variable_of(&rt->fibers[id].pending) < 0)
		return false;
	pct->now[id] = true;
	pct->counted++;
	for (unsigned i = 0; i < DEPTH - 1; i++)
		if (pct->change[i] == pct->counted) {
			pct->priority[id] = DEPTH - 1 - i;
			yes = true;
		}
	return yes;
}

static int pick(uint64_t enabled)
{
	int id;

	enabled = others_first(enabled);
	do
		id = highest(enabled);
	while (falls(id));
	pct->now[id] = false;
	return id;
}

const struct sampler sampler_pct = { .init = init, .begin = begin, .pick = pick };
SAMPLING_STRATEGY(pct);

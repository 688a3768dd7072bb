/* SPDX-License-Identifier: MIT
 *
 * Partial order sampling: Yuan, Yang, Gu, "Partial Order Aware Concurrency Sampling", CAV 2018.
 *
 * Each next step of a thread has a random priority of its own, and the highest one is made. The
 * steps that conflict with it, and so have lost the race, draw anew. So the order of each conflict is
 * drawn by itself, whatever else a thread does before it.
 */
#include "sampling.h"
#include "../memory.h"

static uint64_t *priority; /* of each thread's next step, 0: not drawn yet */

static void init(void)
{
	if (!priority)
		priority = memory_get(MAX_FIBERS * sizeof *priority);
}

static void begin(void)
{
	zero(priority, MAX_FIBERS * sizeof *priority);
}

static int pick(uint64_t enabled)
{
	int best = -1;

	for (uint64_t set = others_first(enabled); set; set &= set - 1) {
		int id = __builtin_ctzll(set);

		if (!priority[id])
			priority[id] = draw() | 1;
		if (best < 0 || priority[id] > priority[best])
			best = id;
	}
	priority[best] = 0;
	return best;
}

static void step(const struct event *e)
{
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (priority[i] && pending_conflicts(&rt->fibers[i], e))
			priority[i] = 0;
}

const struct sampler sampler_pos = { .init = init, .begin = begin, .pick = pick, .step = step };
SAMPLING_STRATEGY(pos);

/* SPDX-License-Identifier: MIT
 *
 * Random search: for each execution one of the ways to choose at random is drawn. Each of them
 * fails for some kind of fault that another one finds soon: a uniform walk hardly ever lets a thread
 * run through while another one stops, priorities hardly ever make many changes. Some executions begin as
 * one did in which something rare happened (rare.h). docs/search.md has numbers.
 */
#include "rare.h"
#include "../memory.h"

/* One that chooses in several ways itself is drawn as often as that. */
static const struct sampler *const samplers[] = { &sampler_walk, &sampler_pct,  &sampler_pos,
						  &sampler_surw, &sampler_surw, &sampler_surw };
#define SAMPLERS (sizeof samplers / sizeof samplers[0])

static unsigned *drawn; /* the one of this execution */

static void init(void)
{
	sampling_init();
	rare_init();
	drawn = memory_get(sizeof *drawn);
	for (unsigned i = 0; i < SAMPLERS; i++)
		if (samplers[i]->init)
			samplers[i]->init();
}

static bool begin(uint32_t *prefix, int32_t *choice)
{
	if (rt->aborted) { /* the same up to there; what comes then is drawn anew */
		*prefix = rt->head;
		*choice = -1;
		return true;
	}
	sampling_begin(prefix, choice);
	rare_begin();
	*drawn = draw_below(SAMPLERS);
	if (samplers[*drawn]->begin)
		samplers[*drawn]->begin();
	return true;
}

static int choose(uint64_t enabled)
{
	int id = rare_pick(enabled);

	return id >= 0 ? id : samplers[*drawn]->pick(enabled);
}

static const struct sampler chooser = { .pick = choose };

static int pick(uint64_t enabled)
{
	return sampling_pick(&chooser, enabled);
}

static void step(uint32_t i, const uint32_t *conflicts, unsigned n, const uint32_t *clock)
{
	rare_step(i);
	sampling_step(i, conflicts, n, clock);
	if (samplers[*drawn]->step)
		samplers[*drawn]->step(&rt->log[i]);
}

const struct strategy strategy_random = {
	.init = init,
	.begin = begin,
	.pick = pick,
	.step = step,
	.end = sampling_end,
	.wakes = true,
};

/* SPDX-License-Identifier: MIT */
#include "../memory.h"
#include "../runs.h"

static struct event *log;
static uint32_t (*clocks)[MAX_FIBERS];
static uint64_t *enabled;

void runs_init(void)
{
	log = memory_get(log_capacity() * sizeof *log);
	clocks = memory_get(log_capacity() * sizeof *clocks);
	enabled = memory_get(log_capacity() * sizeof *enabled);
}

void runs_begin(struct kept *k, const struct strategy *strategy)
{
	*k = (struct kept){ .strategy = rt->strategy,
			    .log = rt->log,
			    .clocks = rt->clocks,
			    .enabled = rt->enabled,
			    .waiting = rt->waiting,
			    .n = rt->n,
			    .prefix = rt->prefix,
			    .keep = rt->keep,
			    .steps = rt->steps,
			    .choice = rt->choice,
			    .no_class = rt->no_class,
			    .need_restart = rt->need_restart,
			    .judge = rt->judge,
			    .blocks = rt->blocks };
	rt->strategy = strategy;
	rt->log = log;
	rt->clocks = clocks;
	rt->enabled = enabled;
	/* Steps of several events are a matter of the search; the lock around blocks is an object. */
	if (rt->blocks == BLOCKS_ATOMIC)
		rt->blocks = BLOCKS_NONE;
}

void runs_end(const struct kept *k)
{
	rt->strategy = k->strategy;
	rt->log = k->log;
	rt->clocks = k->clocks;
	rt->enabled = k->enabled;
	rt->waiting = k->waiting;
	rt->n = k->n;
	rt->prefix = k->prefix;
	rt->keep = k->keep;
	rt->steps = k->steps;
	rt->choice = k->choice;
	rt->no_class = k->no_class;
	/* What a run has learned stays known, so the search has to begin again with it. */
	rt->need_restart |= k->need_restart;
	rt->judge = k->judge;
	rt->blocks = k->blocks;
	footprints_reset();
}

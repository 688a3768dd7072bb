/* SPDX-License-Identifier: MIT */
#include "rare.h"
#include "../memory.h"

#define WAYS    4096u /* that are remembered, the first ones */
#define LONGEST 2048u /* events */
#define TRIED   8u    /* ways to compare */
#define OF      5u    /* executions, of which... */
#define FOLLOW  2u    /* ...so many follow a way */

struct way {
	uint64_t met;
	uint32_t seen; /* how often it was met, or followed */
	uint32_t n;
	uint8_t threads[LONGEST]; /* of the events up to there */
};

static struct rare {
	const struct way *way; /* that this execution follows; NULL: none, or no longer */
	uint64_t before[MAX_FIBERS][2]; /* what each thread's last steps met, the latest first */
	uint32_t n;
	uint32_t slots[4 * WAYS]; /* by what is met: 1 + number */
	struct way ways[WAYS];
} *rare;

void rare_init(void)
{
	if (!rare)
		rare = memory_get(sizeof *rare);
}

void rare_begin(void)
{
	struct way *best = NULL;

	if (rt->need_restart) {
		zero(rare->slots, sizeof rare->slots);
		rare->n = 0;
	}
	zero(rare->before, sizeof rare->before);
	rare->way = NULL;
	if (!rare->n || draw_below(OF) >= FOLLOW)
		return;
	for (unsigned i = 0; i < TRIED; i++) {
		struct way *w = &rare->ways[draw_below(rare->n)];

		if (!best || w->seen < best->seen)
			best = w;
	}
	best->seen++;
	rare->way = best;
}

int rare_pick(uint64_t enabled)
{
	const struct way *w = rare->way;

	if (w && rt->n < w->n && enabled & bit(w->threads[rt->n]))
		return w->threads[rt->n];
	rare->way = NULL;
	return -1;
}

static void remember(uint64_t met, uint32_t n)
{
	struct way *w;

	for (uint32_t i = (uint32_t)(met >> 40);; i++) {
		uint32_t *slot = &rare->slots[i % (4 * WAYS)];

		if (*slot && rare->ways[*slot - 1].met != met)
			continue;
		if (*slot) {
			rare->ways[*slot - 1].seen++;
			return;
		}
		if (rare->n == WAYS || n > LONGEST)
			return;
		w = &rare->ways[rare->n];
		*slot = ++rare->n;
		w->met = met;
		w->seen = 1;
		w->n = n;
		for (uint32_t k = 0; k < n; k++)
			w->threads[k] = rt->log[k].thread;
		return;
	}
}

void rare_step(uint32_t i)
{
	const struct event *e = &rt->log[i];
	const struct pending p = { .addr = e->addr };
	int number = variable_of(&p);
	uint64_t *before = rare->before[e->thread], met;
	uint32_t last;

	if (number < 0)
		return;
	last = sampling->variables.spot[number].last;
	met = mix(0, e->pc);
	if (last)
		met = mix(mix(met, rt->log[last - 1].pc), rt->log[last - 1].thread == e->thread);
	remember(mix(mix(met, before[0]), before[1]), i + 1);
	before[1] = before[0];
	before[0] = met;
}

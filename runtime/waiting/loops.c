/* SPDX-License-Identifier: MIT
 *
 * What is known of loops, by the address of an event in them. It is learned in one execution and
 * holds in all: when something is learned, the exploration begins again, so that all executions of
 * a search follow the same rules. See `enum loop_kind`.
 */
#include "../memory.h"
#include "../modules.h"
#include "../state.h"

#define LOOPS 1024 /* a power of two */

static struct loop {
	uint64_t pc;
	unsigned kinds, asked;
} *loops;
static uint32_t *nloops;

void loops_init(void)
{
	loops = memory_get(LOOPS * sizeof *loops);
	nloops = memory_get(sizeof *nloops);
}

static struct loop *find(uint64_t pc)
{
	uint32_t i;

	pc = module_pc_key(pc);
	i = (uint32_t)mix(pc, 0) & (LOOPS - 1);

	while (loops[i].pc && loops[i].pc != pc)
		i = (i + 1) & (LOOPS - 1);
	return &loops[i];
}

unsigned loop_known(uint64_t pc)
{
	return UNLIKELY(rt->loops_known) ? find(pc)->kinds : 0;
}

bool loop_learn(uint64_t pc, unsigned kinds)
{
	struct loop *l = find(pc);

	if (!l->pc && *nloops == LOOPS / 2)
		return false;
	if (!l->pc)
		++*nloops;
	l->pc = module_pc_key(pc);
	l->kinds |= kinds;
	rt->loops_known = 1;
	return true;
}

unsigned loop_asked(uint64_t pc)
{
	return loop_learn(pc, 0) ? ++find(pc)->asked : UINT32_MAX;
}

uint64_t loop_next(uint32_t *i, unsigned *kinds)
{
	while (*i < LOOPS) {
		const struct loop *l = &loops[(*i)++];

		if (l->pc) {
			*kinds = l->kinds;
			return l->pc;
		}
	}
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Random search: at each step a thread drawn uniformly from the enabled ones. Execution n of a seed
 * is always the same.
 */
#include "../state.h"
#include "../strategy.h"

static uint64_t state, round_number; /* begin() sets the state anew for each execution */

static uint64_t draw(void)
{
	/* splitmix64 */
	uint64_t z = (state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static bool begin(uint32_t *prefix, int32_t *choice)
{
	if (!rt->need_donors && !rt->aborted)
		round_number++;
	if (rt->need_restart)
		round_number = 1;
	state = rt->config.seed * 0xd1342543de82ef95ULL + round_number;
	*prefix = 0;
	*choice = -1;
	return true;
}

static int pick(uint64_t enabled)
{
	unsigned n, k;

	enabled = others_first(enabled);
	n = (unsigned)__builtin_popcountll(enabled);
	if (n == 1)
		return __builtin_ctzll(enabled);
	for (k = (unsigned)(draw() >> 32) % n; k; k--)
		enabled &= enabled - 1;
	return __builtin_ctzll(enabled);
}

const struct strategy strategy_random = {
	.begin = begin,
	.pick = pick,
};

/* SPDX-License-Identifier: MIT
 *
 * Random walk: at each step a thread drawn uniformly from the enabled ones.
 */
#include "sampling.h"

static int pick(uint64_t enabled)
{
	return draw_thread(others_first(enabled));
}

const struct sampler sampler_walk = { .pick = pick };
SAMPLING_STRATEGY(walk);

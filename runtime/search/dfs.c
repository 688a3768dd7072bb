/* SPDX-License-Identifier: MIT
 *
 * Plain depth-first search: every enabled thread at every step, no reduction. The oracle for the
 * others, and hopeless for anything but small clients. Calls and returns of operations commute with
 * all that memory can see; they are choices only if the real-time order of operations is checked.
 */
#include "../state.h"
#include "../strategy.h"
#include "frames.h"

static bool quiet_step(const struct pending *p)
{
	return p->kind == LP_EV_CALL || p->kind == LP_EV_RETURN;
}

static bool begin(uint32_t *prefix, int32_t *choice)
{
	return frames_begin(prefix, choice, false);
}

static int pick(uint64_t enabled)
{
	struct search_frame *frame = &search_frames[rt->n];

	frame->done = frame->sleep = 0;
	frame->ran = false;
	frame->backtrack = enabled;
	if (rt->config.check != 0)
		for (uint64_t b = enabled; b; b &= b - 1) {
			int id = __builtin_ctzll(b);

			if (quiet_step(&rt->fibers[id].pending)) {
				frame->backtrack = bit((unsigned)id);
				return id;
			}
		}
	return __builtin_ctzll(enabled);
}

const struct strategy strategy_dfs = {
	.init = frames_init,
	.begin = begin,
	.pick = pick,
	.estimate = frames_estimate,
	.frames = true,
};

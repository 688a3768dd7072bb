/* SPDX-License-Identifier: MIT
 *
 * What depth-first searches share: the log of the latest execution is their stack, and each step in
 * it holds what is left to explore from the state before it.
 */
#include "rt.h"

bool frames_begin(uint32_t *prefix, int32_t *choice, bool sleep_sets)
{
	static bool started;
	uint32_t i = rt->n;

	if (!started || rt->need_restart) {
		started = true;
		*prefix = 0;
		*choice = -1;
		return true;
	}
	if (rt->need_donors) { /* the same again */
		*prefix = rt->prefix;
		*choice = rt->choice;
		return true;
	}
	while (i-- > 0) {
		struct event *e = &rt->log[i];
		uint64_t left;

		if (e->kind > LP_EV_LAST_STEP)
			continue;
		e->done |= bit(e->thread);
		if (sleep_sets && !e->terminal)
			e->sleep |= bit(e->thread);
		left = e->backtrack & ~e->done;
		if (sleep_sets)
			left &= ~e->sleep;
		if (left) {
			*prefix = i;
			*choice = __builtin_ctzll(left);
			return true;
		}
	}
	return false;
}

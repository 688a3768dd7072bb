/* SPDX-License-Identifier: MIT
 *
 * The stack of depth-first searches: which step of the latest execution is the next to be replaced
 * by another.
 */
#include "../memory.h"
#include "../state.h"
#include "frames.h"

struct search_frame *search_frames;

void frames_init(void)
{
	search_frames = memory_get(log_capacity() * sizeof *search_frames);
}

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
		const struct event *e = &rt->log[i];
		struct search_frame *f = &search_frames[i];
		uint64_t left;

		if (e->kind > LP_EV_LAST_STEP)
			continue;
		f->done |= bit(e->thread);
		if (sleep_sets && !f->terminal)
			f->sleep |= bit(e->thread);
		left = f->backtrack & ~f->done;
		if (sleep_sets)
			left &= ~f->sleep;
		if (left) {
			*prefix = i;
			*choice = __builtin_ctzll(left);
			return true;
		}
	}
	return false;
}

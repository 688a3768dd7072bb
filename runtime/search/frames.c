/* SPDX-License-Identifier: MIT
 *
 * The stack of depth-first searches: which step of the latest execution is the next to be replaced
 * by another.
 */
#include "../memory.h"
#include "../state.h"
#include "frames.h"

struct search_frame *search_frames;
uint32_t *frames_floor;

/* What was explored from the frames on the stack, the latest last. */
static struct sleepers {
	struct sleeper {
		uint32_t first, n; /* its events */
		uint32_t frame;
		uint32_t before; /* 1 + index of the same thread's entry before */
	} *list;
	struct event *events;
	uint32_t n, capacity;
	uint32_t latest[MAX_FIBERS]; /* 1 + index */
} *sleepers;

void frames_init(void)
{
	search_frames = memory_get(log_capacity() * sizeof *search_frames);
	frames_floor = memory_get(sizeof *frames_floor);
	sleepers = memory_get(sizeof *sleepers);
	sleepers->capacity = (uint32_t)log_capacity() * 4;
	sleepers->list = memory_get(sleepers->capacity * sizeof *sleepers->list);
	sleepers->events = memory_get(sleepers->capacity * sizeof *sleepers->events);
}

const struct event *frames_sleeper(unsigned thread, uint32_t *n)
{
	const struct sleeper *s = &sleepers->list[sleepers->latest[thread] - 1];

	*n = s->n;
	return &sleepers->events[s->first];
}

const struct event *frames_sleeper_at(unsigned thread, uint32_t frame, uint32_t *since)
{
	const struct sleeper *s = &sleepers->list[sleepers->latest[thread] - 1];

	while (s->frame > frame)
		s = &sleepers->list[s->before - 1];
	*since = s->frame;
	return &sleepers->events[s->first];
}

bool frames_sleeps(uint32_t frame)
{
	const struct event *e = &rt->log[frame];
	struct sleeper *s = &sleepers->list[sleepers->n];

	s->first = sleepers->n ? s[-1].first + s[-1].n : 0;
	s->n = 0;
	for (uint32_t k = frame; k == frame || (k < rt->n && (rt->log[k].glued || !event_is_step(&rt->log[k]))); k++) {
		if (sleepers->n == sleepers->capacity || s->first + s->n == sleepers->capacity)
			return false;
		if (event_is_step(&rt->log[k]))
			sleepers->events[s->first + s->n++] = rt->log[k];
	}
	s->frame = frame;
	s->before = sleepers->latest[e->thread];
	sleepers->latest[e->thread] = ++sleepers->n;
	return true;
}

static void forget_sleepers_above(uint32_t frame)
{
	while (sleepers->n && sleepers->list[sleepers->n - 1].frame > frame) {
		const struct sleeper *s = &sleepers->list[--sleepers->n];

		sleepers->latest[sleepers->events[s->first].thread] = s->before;
	}
}

bool frames_begin_by(uint32_t *prefix, int32_t *choice, bool sleep_sets,
		     int (*first)(uint32_t frame, uint64_t left))
{
	static bool started;
	uint32_t i = rt->n, floor = *frames_floor;
	bool aborted = rt->aborted;

	if (!started || rt->need_restart) {
		started = true;
		sleepers->n = 0;
		zero(sleepers->latest, sizeof sleepers->latest);
		*prefix = 0;
		*choice = -1;
		return true;
	}
	if (rt->need_again) { /* the same again */
		*prefix = rt->prefix;
		*choice = rt->choice;
		return true;
	}
	while (i-- > floor) {
		const struct event *e = &rt->log[i];
		struct search_frame *f = &search_frames[i];
		uint64_t left;

		if (!event_is_step(e) || e->glued)
			continue;
		f->done |= bit(e->thread);
		if (aborted)
			f->backtrack |= rt->enabled[i];
		else
			f->ran = true;
		if (sleep_sets) {
			forget_sleepers_above(i);
			if (!aborted && !f->terminal && frames_sleeps(i))
				f->sleep |= bit(e->thread);
		}
		left = f->backtrack & ~f->done;
		if (UNLIKELY(rt->blocks == BLOCKS_ATOMIC))
			left &= ~rt->barred[i];
		if (sleep_sets)
			left &= ~f->sleep;
		if (left) {
			*prefix = i;
			*choice = first ? first(i, left) : __builtin_ctzll(left);
			return true;
		}
		if (aborted && !f->ran && !(sleep_sets && f->sleep & rt->enabled[i] & ~rt->barred[i])) {
			*prefix = i; /* nobody can run there: an end of its own */
			*choice = -1;
			return true;
		}
		aborted = false;
	}
	return false;
}

bool frames_begin(uint32_t *prefix, int32_t *choice, bool sleep_sets)
{
	return frames_begin_by(prefix, choice, sleep_sets, NULL);
}

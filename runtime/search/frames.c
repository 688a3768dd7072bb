/* SPDX-License-Identifier: MIT
 *
 * The stack of depth-first searches: which step of the latest execution is the next to be replaced
 * by another.
 */
#include "../memory.h"
#include "../memory_errors.h"
#include "../state.h"
#include "frames.h"

struct search_frame *search_frames;
uint32_t *frames_floor;

/* Memory that a thread is about to use. */
struct use {
	uint64_t addr, size; /* 0: none */
};

/* What was explored from the frames on the stack, the latest last. */
static struct sleepers {
	struct sleeper {
		uint32_t first, n; /* its events */
		struct use next; /* after the step */
		uint32_t frame;
		uint32_t before; /* 1 + index of the same thread's entry before */
	} *list;
	struct event *events;
	uint32_t n, capacity;
	uint32_t latest[MAX_FIBERS]; /* 1 + index */
	struct use last[MAX_FIBERS]; /* at the end of the latest execution */
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

bool frames_sleeper_uses(unsigned thread, uint64_t addr, uint64_t size)
{
	const struct use *u = &sleepers->list[sleepers->latest[thread] - 1].next;

	return u->addr < addr + size && addr < u->addr + u->size;
}

static struct use use_of(unsigned kind, unsigned flags, uint64_t addr, uint64_t size)
{
	return event_touches(kind, flags) ? (struct use){ addr, size } : (struct use){ 0, 0 };
}

void frames_end(void)
{
	for (unsigned i = 0; i < rt->nfibers; i++) {
		const struct fiber *f = &rt->fibers[i];
		const struct pending *p = &f->pending;

		sleepers->last[i] = (rt->ready | rt->blocked) & bit(i)
					    ? use_of(p->kind, p->flags, p->addr, p->size)
					    : (struct use){ 0, 0 };
	}
}

/* The step at this frame was explored; `next`: the thread's next one in the log, 0 if there was none.
 * False if there is no room to remember it. */
static bool add_sleeper(uint32_t frame, uint32_t next)
{
	const struct event *e = &rt->log[frame], *n = &rt->log[next];
	struct sleeper *s = &sleepers->list[sleepers->n];

	s->first = sleepers->n ? s[-1].first + s[-1].n : 0;
	s->n = 0;
	for (uint32_t k = frame; k == frame || (k < rt->n && (rt->log[k].glued || !event_is_step(&rt->log[k]))); k++) {
		if (sleepers->n == sleepers->capacity || s->first + s->n == sleepers->capacity)
			return false;
		if (event_is_step(&rt->log[k]))
			sleepers->events[s->first + s->n++] = rt->log[k];
	}
	s->next = next ? use_of(n->kind, n->flags, n->addr, n->size) : sleepers->last[e->thread];
	s->frame = frame;
	s->before = sleepers->latest[e->thread];
	sleepers->latest[e->thread] = ++sleepers->n;
	return true;
}

bool frames_sleeps(uint32_t frame)
{
	return add_sleeper(frame, 0);
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
	uint32_t i = rt->n, next[MAX_FIBERS] = { 0 }, floor = *frames_floor;
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
			if (!aborted && !f->terminal && add_sleeper(i, next[e->thread]))
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
		next[e->thread] = i;
	}
	return false;
}

bool frames_begin(uint32_t *prefix, int32_t *choice, bool sleep_sets)
{
	return frames_begin_by(prefix, choice, sleep_sets, NULL);
}

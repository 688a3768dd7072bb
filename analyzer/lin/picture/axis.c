/* SPDX-License-Identifier: MIT
 *
 * The axis of a picture. Bars are laid out by the order of events, so the axis cannot have a scale:
 * it names the times of calls and returns where there is room.
 */
#include "lin/picture/picture.h"

#include <stdlib.h>

#define ROOM 14.0    /* pixels between two texts */
#define LONG 1000000 /* times from here on are told from the first one */

static int compare_ticks(const void *a, const void *b)
{
	const struct picture_tick *x = a, *y = b;

	if (x->x < y->x || x->x > y->x)
		return x->x < y->x ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

static double text_width(uint64_t n, double digit)
{
	double width = digit;

	for (; n >= 10; n /= 10)
		width += digit;
	return width;
}

/* A time and its distance from the base, which may not fit into 63 bits. */
static uint64_t distance(int64_t time, int64_t base)
{
	return time < base ? (uint64_t)base - (uint64_t)time : (uint64_t)time - (uint64_t)base;
}

static size_t all_ticks(const struct picture *p, struct picture_tick *ticks)
{
	size_t n = 0;

	for (size_t i = 0; i < p->nops; i++) {
		const struct picture_op *op = &p->ops[i];
		const struct history_op *of = &p->h->ops[op->op];

		ticks[n++] = (struct picture_tick){ op->x, of->call };
		if (of->ret != TIME_PENDING)
			ticks[n++] = (struct picture_tick){ op->end, of->ret };
	}
	qsort(ticks, n, sizeof *ticks, compare_ticks);
	return n;
}

struct picture_tick *picture_ticks(const struct picture *p, double digit, size_t *n, int64_t *base)
{
	struct picture_tick *ticks = xmalloc((2 * p->nops + 1) * sizeof *ticks);
	size_t all = all_ticks(p, ticks), kept = 0;
	double free_from = 0;

	*base = all && distance(ticks[0].time, 0) >= LONG ? ticks[0].time : 0;
	for (size_t i = 0; i < all; i++) {
		double end = ticks[i].x + text_width(distance(ticks[i].time, *base), digit);

		/* One time at several places is named at the first. */
		if (ticks[i].x < free_from || end > p->width ||
		    (kept && ticks[kept - 1].time == ticks[i].time))
			continue;
		free_from = end + ROOM;
		ticks[kept++] = ticks[i];
	}
	*n = kept;
	return ticks;
}

/* SPDX-License-Identifier: MIT
 *
 * From the critical segments of a trace to static blocks.
 *
 * Going from event to event of the segment, the innermost activation that all share is the
 * shallowest that two neighbours share. A block in its function from the line of the one end to
 * that of the other is what papers print. It may fail to cover the segment: one that crosses from
 * an iteration of a loop to the next maps to lines inside the body, and the block is left and
 * entered again at the loop's head. Hence the wider extents, of which the last covers the segment
 * by construction: no event of it lies outside, and every loop that goes round in it lies inside.
 */
#include "repair/locate.h"

#include <string.h>

static uint32_t shared_depth(struct flows *f, const struct trace *t, const struct order *o,
			     const struct segment *s)
{
	uint32_t depth = NONE;

	for (uint32_t i = s->first; i != s->last; i = o->next[i]) {
		const struct flow *flow =
			flows_between(f, t->events[i].site, t->events[o->next[i]].site, NULL);

		if (flow->depth == NONE)
			return NONE;
		if (depth == NONE || flow->depth < depth)
			depth = flow->depth;
	}
	return depth;
}

/* Is it in a header of the C++ library, which is nobody's to change? Other headers of the system may be what
 * is tested. */
static bool of_language(const struct source_frame *f)
{
	return strstr(f->file, "/include/c++/") != NULL;
}

/* The frame in which a block can be named: `depth`, or a caller if there is no source for it, or if that is the
 * C++ library's. */
static uint32_t named_depth(const struct flows *f, uint32_t site_a, uint32_t site_b, uint32_t depth)
{
	uint32_t named = NONE;

	for (; depth != NONE; depth--) { /* NONE is what 0 - 1 gives */
		const struct source_frame *x = flows_frame(f, site_a, depth);
		const struct source_frame *y = flows_frame(f, site_b, depth);

		if (!x->line || !y->line || !x->file || !y->file || !x->function)
			continue;
		if (!of_language(x) && !of_language(y))
			return depth;
		if (named == NONE)
			named = depth;
	}
	return named;
}

static void include(struct block *b, uint32_t line)
{
	if (!line)
		return;
	if (line < b->first)
		b->first = line;
	if (line > b->last)
		b->last = line;
}

static void include_frame(struct block *b, const struct source_frame *f)
{
	include(b, f->line);
	include(b, frame_last_line(f));
}

static void include_loop(struct block *b, const struct flow *flow, uint32_t depth, uint32_t line)
{
	if (flow->depth != depth)
		return;
	if (flow->jump == JUMP_LOOP) {
		include(b, flow->loop.first);
		include(b, flow->loop.last);
	} else if (flow->jump == JUMP_BACK) {
		include(b, line - 1); /* the loop's head is above, or on, the line it returns to */
	}
}

bool locate_segment(struct flows *f, const struct trace *t, const struct order *o,
		    const struct segment *s, enum extent extent, struct block *b)
{
	uint32_t depth = shared_depth(f, t, o, s);
	const struct source_frame *x, *y;

	depth = named_depth(f, t->events[s->first].site, t->events[s->last].site, depth);
	if (depth == NONE)
		return false;
	x = flows_frame(f, t->events[s->first].site, depth);
	y = flows_frame(f, t->events[s->last].site, depth);
	*b = (struct block){ x->file, x->function, x->line, frame_last_line(x) };
	include_frame(b, y);
	for (uint32_t i = s->first; i != s->last && extent > EXTENT_ENDS; i = o->next[i]) {
		uint32_t next = t->events[o->next[i]].site;
		const struct source_frame *frame = flows_frame(f, next, depth);

		include_frame(b, frame);
		if (extent == EXTENT_LOOPS)
			include_loop(b, flows_between(f, t->events[i].site, next, NULL), depth,
				     frame->line);
	}
	return true;
}

static bool covers_segment(struct flows *f, const struct trace *t, const struct order *o,
			   const struct segment *s, const struct block *b)
{
	for (uint32_t i = s->first; i != s->last; i = o->next[i])
		if (!flows_stay(f, t->events[i].site, t->events[o->next[i]].site, b))
			return false;
	return true;
}

bool locate_covering(struct flows *f, const struct trace *t, const struct order *o,
		     const struct segment *s, struct block *b)
{
	for (int extent = EXTENT_ENDS; extent <= EXTENT_LOOPS; extent++) {
		if (!locate_segment(f, t, o, s, (enum extent)extent, b))
			return false;
		if (covers_segment(f, t, o, s, b))
			break;
	}
	return true;
}

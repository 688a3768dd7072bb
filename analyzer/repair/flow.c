/* SPDX-License-Identifier: MIT
 *
 * What happened between two neighbouring events of an operation, as far as their positions tell.
 *
 * Two call stacks agree down to some depth D: the same functions, called at the same places. That
 * does not make the activations at D the same, since the caller may have gone round a loop and
 * called again. So: going forwards in the text at D is taken for straight execution of one
 * activation. Going backwards needs a loop. The innermost one that explains it is taken: a loop at
 * D that contains both lines, or else a loop around the call in a caller, in which case only the
 * activations down to that caller are shared. If the source shows none (no text, an unusual macro),
 * the loop is taken to be at D, with unknown bounds. What is forwards is the rule of format/blocks.h, by
 * which blocks are in force, too.
 *
 * Positions on one line are ordered by address; the same address again is a step backwards, unless one
 * instruction or call does both: reads and writes a variable, waits and is woken. So are
 * those whose lines are known only from here to there, where these overlap.
 */
#include "repair/flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/numbering.h"
#include "format/blocks.h"

struct flows {
	struct source_map map;
	struct numbering pairs;
	struct flow *list;
	uint32_t list_capacity;
	struct file_loops loops;
};

struct flows *flows_new(const struct source_map *map)
{
	struct flows *f = xcalloc(1, sizeof *f);

	f->map = *map;
	return f;
}

void flows_free(struct flows *f)
{
	if (!f)
		return;
	file_loops_free(&f->loops);
	free(f->list);
	numbering_free(&f->pairs);
	free(f);
}

const struct source_map *flows_map(const struct flows *f)
{
	return &f->map;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The depth to which two stacks agree, NONE if not even the outermost functions are the same.
 * Frames of which only the address is known are passed if they agree. */
static uint32_t common_depth(const struct source_frame *a, uint32_t na,
			     const struct source_frame *b, uint32_t nb)
{
	uint32_t depth = NONE;

	for (uint32_t d = 0; d < na && d < nb; d++) {
		if (!same_text(a[d].function, b[d].function) || !same_text(a[d].file, b[d].file))
			break;
		if (a[d].function)
			depth = d;
		if (a[d].address != b[d].address)
			break;
	}
	return depth;
}

static struct lp_block_part place_of(const struct source_frame *f)
{
	return (struct lp_block_part){ 0, f->line, frame_last_line(f), f->column };
}

/* Behind the instruction, as others are. An inlined body may begin where the access before it ends. */
static uint64_t address_behind(const struct source_frame *f)
{
	return f->address + f->inlined;
}

/* By the rule of blocks in force. `rounds`: as for lp_block_ahead. */
static bool forwards(const struct source_frame *a, const struct source_frame *b, bool rounds)
{
	const struct lp_block_part x = place_of(a), y = place_of(b);

	return lp_block_ahead(&x, address_behind(a), &y, address_behind(b), rounds);
}

/* The innermost loop around both positions, NULL if there is none. A position of several lines may
 * be on the last of them, as the head of a loop is that a statement before it was moved into. */
static const struct loop *loop_around(const struct loops *loops, const struct source_frame *a,
				      const struct source_frame *b)
{
	const struct loop *one = loops_around(loops, a->line, b->line);
	const struct loop *other = loops_around(loops, frame_last_line(a), frame_last_line(b));

	if (!one || !other)
		return one ? one : other;
	return other->last - other->first < one->last - one->first ? other : one;
}

/* Can these be two steps of one instruction or call? A wait that has not ended at the end of the
 * execution is there twice. */
static bool one_call(const struct flows *f, uint32_t site_a, uint32_t site_b)
{
	unsigned first, second;

	if (!f->map.kind)
		return false;
	first = f->map.kind(f->map.data, site_a);
	second = f->map.kind(f->map.data, site_b);
	return lp_block_one_call(first, second) ||
	       (first == LP_EV_WAIT && second == LP_EV_WAIT);
}

static const struct loop *loop_at(struct flows *f, const struct source_frame *a,
				  const struct source_frame *b)
{
	const struct loops *loops = file_loops_of(&f->loops, &f->map, a->file);

	return loops ? loop_around(loops, a, b) : NULL;
}

/* Can a loop in this activation go round from the one to the other? */
static bool may_go_round(struct flows *f, const struct source_frame *a, const struct source_frame *b)
{
	return loop_at(f, a, b) || !file_loops_of(&f->loops, &f->map, a->file);
}

/* Can the two be of one execution of a statement, such as stores of an assignment of a structure? */
static bool one_statement(const struct source_frame *a, const struct source_frame *b)
{
	return a->statement && a->statement == b->statement;
}

static struct flow flow_compute(struct flows *f, uint32_t site_a, uint32_t site_b)
{
	const struct source_frame *a = NULL, *b = NULL;
	uint32_t na = f->map.frames(f->map.data, site_a, &a);
	uint32_t nb = f->map.frames(f->map.data, site_b, &b);
	struct flow flow = { .depth = common_depth(a, na, b, nb), .jump = JUMP_NONE };
	uint32_t d = flow.depth;
	bool one = one_call(f, site_a, site_b), alike = (d + 1 < na) == (d + 1 < nb);

	if (d == NONE ||
	    forwards(&a[d], &b[d],
		     alike && !one && !one_statement(&a[d], &b[d]) && may_go_round(f, &a[d], &b[d])))
		return flow;
	if (one && d + 1 == na && d + 1 == nb && a[d].address == b[d].address)
		return flow;
	for (d = flow.depth; d != NONE; d--) { /* NONE is what 0 - 1 gives */
		const struct loop *loop = loop_at(f, &a[d], &b[d]);

		if (loop)
			return (struct flow){ d, JUMP_LOOP, *loop };
	}
	flow.jump = JUMP_BACK;
	return flow;
}

const struct flow *flows_between(struct flows *f, uint32_t a, uint32_t b, uint32_t *number)
{
	const uint32_t key[2] = { a, b };
	bool added;
	uint32_t n = numbering_add(&f->pairs, key, sizeof key, &added);

	if (added) {
		VEC_GROW(f->list, n, f->list_capacity);
		f->list[n] = flow_compute(f, a, b);
	}
	if (number)
		*number = n;
	return &f->list[n];
}

const struct source_frame *flows_frame(const struct flows *f, uint32_t site, uint32_t depth)
{
	const struct source_frame *frames;
	uint32_t n = f->map.frames(f->map.data, site, &frames);

	return depth < n ? &frames[depth] : NULL;
}

uint32_t flows_own(const struct flows *f, uint32_t site)
{
	return f->map.own ? f->map.own(f->map.data, site) : UINT32_MAX;
}

static bool in_block(const struct source_frame *frame, const struct block *b)
{
	return frame->line && frame->line >= b->first && frame_last_line(frame) <= b->last &&
	       same_text(frame->function, b->function) && same_text(frame->file, b->file);
}

bool flows_inside(const struct flows *f, uint32_t site, const struct repair *blocks)
{
	const struct source_frame *frames;
	uint32_t n = f->map.frames(f->map.data, site, &frames);

	for (uint32_t d = 0; d < n; d++)
		for (uint32_t i = 0; i < blocks->nblocks; i++)
			if (in_block(&frames[d], &blocks->blocks[i]))
				return true;
	return false;
}

unsigned flows_nested(const struct flows *f, uint32_t site, const struct block *b, const struct block *c)
{
	const struct source_frame *frames;
	uint32_t n = f->map.frames(f->map.data, site, &frames), at = 0;

	while (at < n && !in_block(&frames[at], b))
		at++;
	for (uint32_t d = 0; d < at && at < n; d++)
		if (in_block(&frames[d], c))
			return 2;
	return at < n;
}

/* Is the way back inside the block? An unknown loop begins at or above the line it returns to. */
static bool jump_inside(const struct flow *flow, uint32_t line, const struct block *b)
{
	switch (flow->jump) {
	case JUMP_NONE:
		return true;
	case JUMP_LOOP:
		return flow->loop.first >= b->first && flow->loop.last <= b->last;
	case JUMP_BACK:
		return line > b->first;
	}
	return false;
}

bool flows_stay(struct flows *f, uint32_t site_a, uint32_t site_b, const struct block *b)
{
	const struct flow flow = *flows_between(f, site_a, site_b, NULL);
	const struct source_frame *x, *y;

	if (flow.depth == NONE)
		return false;
	f->map.frames(f->map.data, site_a, &x);
	f->map.frames(f->map.data, site_b, &y);
	for (uint32_t d = 0; d <= flow.depth; d++)
		if (in_block(&x[d], b) && in_block(&y[d], b) &&
		    (d < flow.depth || jump_inside(&flow, y[d].line, b)))
			return true;
	return false;
}

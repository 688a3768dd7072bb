/* SPDX-License-Identifier: MIT */
#include "lin/problem.h"

#include <string.h>

static void copy_op(const struct lin_part *part, uint32_t from, uint32_t cut, struct lin_part *out,
		    uint32_t *position)
{
	struct lin_op *op = &out->ops[out->nops];

	*op = part->ops[from];
	op->call = out->nevents;
	if (op->ret >= cut && op->ret != RANK_PENDING) {
		op->flags = OP_PENDING | OP_ANY;
		op->r = WORD_EMPTY;
	}
	op->ret = RANK_PENDING;
	out->npending += !!(op->flags & OP_PENDING);
	out->nany += !!(op->flags & OP_ANY);
	out->events[out->nevents++] = 2 * out->nops;
	position[from] = out->nops++;
}

void part_subset(const struct lin_part *part, const bool *keep, uint32_t cut, struct arena *a,
		 struct lin_part *out)
{
	uint32_t end = part->nevents < cut ? part->nevents : cut, n = 0;
	uint32_t *position = arena_alloc(a, part->nops * sizeof *position);

	for (uint32_t i = 0; i < part->nops; i++)
		n += keep[i] && part->ops[i].call < cut;
	*out = (struct lin_part){ .problem = part->problem,
				  .spec = part->spec,
				  .object = part->object };
	out->ops = arena_alloc(a, n * sizeof *out->ops);
	out->events = arena_alloc(a, 2 * n * sizeof *out->events);
	for (uint32_t e = 0; e < end; e++) {
		uint32_t op = part->events[e] / 2;

		if (!keep[op])
			continue;
		if (part->events[e] & 1) {
			out->ops[position[op]].ret = out->nevents;
			out->events[out->nevents++] = 2 * position[op] + 1;
		} else {
			copy_op(part, op, cut, out, position);
		}
	}
}

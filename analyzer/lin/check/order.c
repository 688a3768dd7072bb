/* SPDX-License-Identifier: MIT
 *
 * Linearizations. Those of the parts are merged: operation i of a part is put at the latest call
 * among its operations up to i, which is within its interval because the part's order respects
 * time; sorting by these points gives an order of the whole that respects time as well.
 */
#include "lin/check/witness.h"

#include <stdlib.h>
#include <string.h>

static int64_t call_time(const struct lin_part *part, uint32_t op)
{
	return part->problem->history->ops[part->ops[op].id].call;
}

/* Operations that were left out of the parts, but returned, can be anywhere: at their calls. */
static uint32_t add_dropped(const struct lin_problem *p, struct time_key *points, uint32_t n)
{
	const struct history *h = p->history;
	bool *kept = xcalloc(h->nops, sizeof *kept);

	for (uint32_t i = 0; i < p->nparts; i++)
		for (uint32_t k = 0; k < p->parts[i].nops; k++)
			kept[p->parts[i].ops[k].id] = true;
	for (uint32_t i = 0; i < h->nops; i++)
		if (!kept[i] && h->ops[i].ret != TIME_PENDING)
			points[n++] = (struct time_key){ h->ops[i].call, i, 0 };
	free(kept);
	return n;
}

static bool add_part(const struct lin_part *part, struct lin_run *run, struct time_key *points,
		     uint32_t *n)
{
	struct search_result found;
	int64_t at = INT64_MIN;

	search_part(part, run, run->options->workers, true, &found);
	for (uint32_t i = 0; i < found.norder; i++) {
		int64_t call = call_time(part, found.order[i]);

		if (call > at)
			at = call;
		points[(*n)++] = (struct time_key){ at, part->ops[found.order[i]].id, 0 };
	}
	free(found.order);
	return found.verdict == LIN_OK;
}

void order_all(const struct lin_problem *p, struct lin_run *run, struct lin_result *result)
{
	struct time_key *points = xreallocarray(NULL, p->history->nops, sizeof *points);
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->nparts; i++)
		if (!add_part(&p->parts[i], run, points, &n)) {
			/* The verdict stands, but there was no time to find an order. */
			free(points);
			return;
		}
	n = add_dropped(p, points, n);
	sort_times(points, n);
	result->order = xreallocarray(NULL, n, sizeof *result->order);
	result->norder = n;
	for (uint32_t i = 0; i < n; i++)
		result->order[i] = points[i].index;
	free(points);
}

void order_partial(const struct lin_part *part, struct lin_run *run, struct lin_result *result)
{
	struct search_result found;

	search_part(part, run, 1, true, &found);
	result->order = xreallocarray(NULL, found.norder, sizeof *result->order);
	result->norder = found.norder;
	for (uint32_t i = 0; i < found.norder; i++)
		result->order[i] = part->ops[found.order[i]].id;
	free(found.order);
}

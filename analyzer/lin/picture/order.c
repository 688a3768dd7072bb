/* SPDX-License-Identifier: MIT
 *
 * The order in a picture: where each operation may have taken effect, and what the objects hold
 * then.
 */
#include "lin/picture/picture.h"

#include <stdlib.h>

#define APART 4.0 /* pixels between two points */

static int compare_order(const void *a, const void *b, void *ops)
{
	const struct picture_op *x = (const struct picture_op *)ops + *(const size_t *)a;
	const struct picture_op *y = (const struct picture_op *)ops + *(const size_t *)b;

	return x->order < y->order ? -1 : x->order > y->order;
}

/* Each at its call, or where the one before it is if that is later: never behind its own return,
 * since the order keeps to the order of time. */
double *picture_points(const struct picture *p)
{
	double *points = xcalloc(p->nops + 1, sizeof *points), x = 0;
	size_t *sorted = xmalloc((p->nops + 1) * sizeof *sorted), n = 0;

	for (size_t i = 0; i < p->nops; i++) {
		if (p->ops[i].order)
			sorted[n++] = i;
	}
	qsort_r(sorted, n, sizeof *sorted, compare_order, p->ops);
	for (size_t i = 0; i < n; i++) {
		const struct picture_op *op = &p->ops[sorted[i]];

		x = x + APART < op->end ? x + APART : op->end;
		x = x < op->x + APART ? op->x + APART : x;
		points[sorted[i]] = x;
	}
	free(sorted);
	return points;
}

bool picture_has_order(const struct picture *p)
{
	return p->result->norder && p->result->verdict != LIN_VIOLATION;
}

void picture_add_states(struct picture *p, const struct lin_options *options)
{
	const struct lin_result *r = p->result;
	bool *wanted = xcalloc(r->norder + 1, sizeof *wanted);
	struct error ignored;

	for (size_t i = 0; i < p->nops; i++) {
		if (p->ops[i].order)
			wanted[p->ops[i].order - 1] = true;
	}
	if (r->norder)
		p->states = lin_states(p->h, options, r->order, r->norder, wanted, &ignored);
	free(wanted);
}

const char *picture_state(const struct picture *p, const struct picture_op *op)
{
	return op->order && p->states ? p->states[op->order - 1] : NULL;
}

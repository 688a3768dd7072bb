/* SPDX-License-Identifier: MIT
 *
 * The check of repair/check.c over all conflicts, applied to every class that completes.
 */
#include "judge/predict.h"
#include "base/budget.h"
#include "repair/check.h"

#include <stdlib.h>

static bool counts(const struct analysis *a, const struct trace *t, bool right)
{
	if (right)
		return analysis_is_valid(a, t->number);
	return t->outcome.kind == LP_OUT_OK || t->outcome.kind == LP_OUT_EXIT;
}

static int predict(const struct analysis *a, const struct repair *r, bool right, uint64_t *classes)
{
	struct source_map source = srcmap_source(a->map);
	struct flows *flows = flows_new(&source);
	struct checker *checker = checker_new(flows);
	uint32_t number = checker_add(checker, r);
	struct order order = { 0 };
	struct trace t = { 0 };
	int more = 1;

	*classes = 0;
	run_rewind(a->run);
	while (budget_left() > 0 && (more = run_next(a->run, &t, NULL)) == 1) {
		if (!counts(a, &t, right))
			continue;
		order_build(&order, &t);
		order_outside(&order, &t, !a->no_operations);
		checker_load(checker, &t, &order);
		*classes += !checker_eliminates(checker, number);
	}
	trace_free(&t);
	order_free(&order);
	checker_free(checker);
	flows_free(flows);
	return more;
}

int predict_completing(const struct analysis *a, const struct repair *r, uint64_t *classes)
{
	return predict(a, r, false, classes);
}

int predict_right(const struct analysis *a, const struct repair *r, uint64_t *classes)
{
	return predict(a, r, true, classes);
}

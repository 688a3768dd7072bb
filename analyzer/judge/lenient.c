/* SPDX-License-Identifier: MIT */
#include "judge/lenient.h"
#include "lin/orders.h"

#include <string.h>

void weak_operations(const struct trace *t, bool wanted, bool **weak)
{
	*weak = xreallocarray(*weak, t->nops, sizeof **weak);
	memset(*weak, 0, t->nops * sizeof **weak);
	for (uint32_t i = 0; wanted && i < t->nevents; i++)
		if (t->events[i].kind == LP_EV_TRYLOCK_FAIL && t->events[i].op < t->nops)
			(*weak)[t->events[i].op] = true;
}

int lenient_check(struct history *h, const struct lin_options *options, enum lin_verdict *verdict,
		  struct error *e)
{
	bool open = h->orders && h->orders->nopen;
	struct lin_result result = { 0 };

	h->lenient = open;
	if (lin_check(h, options, &result, e) < 0)
		return -1;
	*verdict = result.verdict;
	lin_result_free(&result);
	if (!open || *verdict != LIN_OK)
		return 0;
	h->lenient = false;
	if (lin_check(h, options, &result, e) < 0)
		return -1;
	*verdict = result.verdict == LIN_OK ? LIN_OK : LIN_UNKNOWN;
	lin_result_free(&result);
	return 0;
}

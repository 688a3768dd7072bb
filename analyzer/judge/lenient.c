/* SPDX-License-Identifier: MIT */
#include "judge/lenient.h"
#include "lin/orders.h"

#include <string.h>

/* It goes on with what it is there for. Locks are given back by those that give up, too. */
static bool goes_on(const struct event *e)
{
	switch (e->kind) {
	case LP_EV_WRITE:
	case LP_EV_RMW:
		return e->access != LP_READS;
	case LP_EV_LOCK:
	case LP_EV_RDLOCK:
	case LP_EV_SEM_WAIT:
		return true;
	default:
		return false;
	}
}

void weak_operations(const struct trace *t, struct self *self, const struct run *run, bool **weak)
{
	*weak = xreallocarray(*weak, t->nops, sizeof **weak);
	memset(*weak, 0, t->nops * sizeof **weak);
	for (uint32_t i = 0; self && i < t->nevents; i++) {
		const struct event *e = &t->events[i];
		const struct operation *op;

		if (e->op >= t->nops)
			continue;
		op = &t->ops[e->op];
		if (e->kind == LP_EV_TRYLOCK_FAIL)
			(*weak)[e->op] = true;
		else if ((*weak)[e->op] && goes_on(e))
			(*weak)[e->op] = op->ret_event != NONE && !self_shows_result(self, run, op);
	}
}

bool lenient_may_allow(const struct history *h)
{
	bool some = h->orders && h->orders->nopen;

	for (size_t i = 0; h->orders && i < h->nops; i++)
		some |= h->ops[i].weak;
	return some;
}

int lenient_check(struct history *h, const struct lin_options *options, enum lin_verdict *verdict,
		  struct error *e)
{
	bool open = lenient_may_allow(h);
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

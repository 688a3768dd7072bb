/* SPDX-License-Identifier: MIT */
#include "sequence.h"
#include "../memory.h"
#include "../observed.h"
#include "../sched.h"
#include "races.h"

struct sequence *sequence;

void sequence_init(void)
{
	sequence = memory_get(sizeof *sequence);
	sequence->list = memory_get((log_capacity() + 1) * sizeof *sequence->list);
}

static void add_element(const struct event *step, const uint32_t *clock, uint8_t thread, bool wild)
{
	struct sequence *v = sequence;

	v->list[v->n++] = (struct element){
		.step = step, .clock = clock, .seq = step->seq, .thread = thread, .wild = wild
	};
}

static bool conflict(const struct event *a, bool a_wild, const struct element *b)
{
	return a_wild || b->wild || events_conflict(a, b->step);
}

void sequence_make(const struct reversal *r)
{
	const struct event *e = &rt->log[r->e];
	struct sequence *v = sequence;

	v->n = v->before = 0;
	v->pair = r->pair;
	for (uint32_t k = r->e + 1; k < rt->n; k++) {
		const struct event *step = &rt->log[k];

		if (step->kind >= LP_EV_EXIT_ALL || k == r->later || order_clocks[k][e->thread] >= e->seq)
			continue;
		add_element(step, order_clocks[k], step->thread, false);
		v->before += k < r->later;
	}
	add_element(&r->step, r->clock, r->thread, r->wild);
	if (r->pair)
		add_element(e, order_clocks[r->e], e->thread, false);
}

/* Could element k of v come first, as far as those before `end` are concerned? */
static bool comes_before(uint32_t k, uint32_t end)
{
	const struct sequence *v = sequence;
	const struct element *x = &v->list[k];

	for (uint32_t j = 0; j < end; j++) {
		const struct element *y = &v->list[j];

		if (y->gone)
			continue;
		if (y->thread == x->thread || x->clock[y->thread] >= y->seq || x->wild || y->wild ||
		    (k == v->n - 1 && conflict(x->step, x->wild, y)))
			return false;
	}
	return true;
}

bool is_initial(uint32_t k)
{
	return comes_before(k, k);
}

bool is_always_initial(uint32_t k)
{
	const struct sequence *v = sequence;

	return k < v->before ? is_initial(k) : k == v->n - 1 && !v->pair && comes_before(k, v->before);
}

uint32_t first_of(unsigned thread)
{
	const struct sequence *v = sequence;

	for (uint32_t k = 0; k < v->n; k++)
		if (!v->list[k].gone && v->list[k].thread == thread)
			return k;
	return NO_EVENT;
}

bool is_independent(const struct event *step, bool wild)
{
	const struct sequence *v = sequence;

	if (v->pair)
		return false;
	for (uint32_t k = 0; k < v->n; k++)
		if (!v->list[k].gone && conflict(step, wild, &v->list[k]))
			return false;
	return true;
}

bool is_hidden(uint32_t k)
{
	const struct sequence *v = sequence;

	for (uint32_t j = k + 1; j < v->n; j++)
		if (!v->list[j].gone && conflict(v->list[k].step, v->list[k].wild, &v->list[j]))
			return !v->list[j].wild && events_are_blind(v->list[k].step, v->list[j].step);
	return false;
}

/* SPDX-License-Identifier: MIT
 *
 * Selectively uniform random walk: Zhao, Wolff, Mathur, Roychoudhury, "Selectively Uniform
 * Concurrency Testing", ASPLOS 2025.
 *
 * Of the steps on one variable, drawn for each execution, every order is about as likely as every
 * other: the thread whose step on it comes next is drawn before, each with the number of such steps
 * that it has left (known from earlier executions) as its weight, and the others stop before theirs
 * until it has been made. The rest is a random walk. For a thread that does not exist yet stands the
 * one that will create it. In half of the executions all that is near the variable counts as one.
 */
#include "sampling.h"
#include "../memory.h"

#define NEAR 64u /* bytes */

static struct surw {
	int variable; /* -1: none is known */
	int next;     /* whose step on it comes next, perhaps of a thread to come; -1: to be drawn */
	bool around;  /* steps near the variable count as well */
} *surw;

static void init(void)
{
	if (!surw)
		surw = memory_get(sizeof *surw);
}

static void begin(void)
{
	surw->variable = sampling->n ? (int)draw_below(sampling->n) : -1;
	surw->next = -1;
	surw->around = draw() >> 63;
}

/* The thread that exists and stands for this one. */
static unsigned standing_for(unsigned thread)
{
	while (thread >= rt->nfibers)
		thread = sampling->parent[thread];
	return thread;
}

/* Is this one of those that were drawn? What lies together often belongs together. */
static bool chosen(int number)
{
	const struct variable *v = sampling->variables;

	if (number < 0 || !surw->around)
		return number == surw->variable;
	return v[number].key / NEAR == v[surw->variable].key / NEAR;
}

static uint32_t left_of(const struct variable *v, unsigned thread)
{
	return v->counts[thread] > v->current[thread] ? v->counts[thread] - v->current[thread] : 0;
}

static int draw_next(void)
{
	const struct sampling *s = sampling;
	uint32_t left[MAX_FIBERS] = { 0 }, sum = 0, at;

	for (uint32_t k = 0; k < s->n; k++)
		for (unsigned i = 0; chosen((int)k) && i < s->threads; i++)
			left[i] += left_of(&s->variables[k], i);
	for (unsigned i = 0; i < s->threads; i++)
		sum += left[i];
	if (!sum)
		return -1;
	at = draw_below(sum);
	for (unsigned i = 0; i < s->threads; i++) {
		if (at < left[i])
			return (int)i;
		at -= left[i];
	}
	return -1;
}

static int pick(uint64_t enabled)
{
	uint64_t set = others_first(enabled), held = 0;

	if (surw->variable < 0)
		return draw_thread(set);
	if (surw->next < 0)
		surw->next = draw_next();
	if (surw->next >= 0)
		for (uint64_t b = set & ~bit(standing_for((unsigned)surw->next)); b; b &= b - 1) {
			int id = __builtin_ctzll(b);

			if (chosen(variable_of(&rt->fibers[id].pending)))
				held |= bit((unsigned)id);
		}
	if (set & ~held)
		return draw_thread(set & ~held);
	surw->next = -1; /* it waits for those that stopped */
	return draw_thread(set);
}

static void step(const struct event *e)
{
	struct pending p = { .addr = e->addr };

	if (surw->variable >= 0 && chosen(variable_of(&p)))
		surw->next = -1;
}

const struct sampler sampler_surw = { .init = init, .begin = begin, .pick = pick, .step = step };
SAMPLING_STRATEGY(surw);

/* SPDX-License-Identifier: MIT
 *
 * Selectively uniform random walk: Zhao, Wolff, Mathur, Roychoudhury, "Selectively Uniform
 * Concurrency Testing", ASPLOS 2025.
 *
 * Of the chosen steps, drawn for each execution, every order is about as likely as every other: the
 * thread that makes the next of them is drawn before, each with the number of such steps
 * that it has left (known from earlier executions) as its weight, and the others stop before theirs
 * until it has been made. For a thread that does not exist yet stands the one that will create it.
 *
 * Chosen are the steps on one variable, or on all that is near it, and the rest is a random walk. Or
 * the steps at one or two places in the code, whatever they touch: many faults need that threads are held up
 * again and again at the same few places, and only there. (Few variables or threads that are
 * switched at: Bindal, Bansal, Lal, "Variable and Thread Bounding for Systematic Testing of
 * Multithreaded Programs", ISSTA 2013; few places: Ball, Burckhardt, Coons, Musuvathi, Qadeer,
 * "Preemption Sealing for Efficient Concurrency Testing", TACAS 2010.) Then the rest is a walk, or nobody is
 * interrupted besides.
 */
#include "sampling.h"
#include "../memory.h"

#define NEAR   64u /* bytes */
#define PLACES 2u
#define PATIENCE 1000u /* steps without a chosen one: others may wait in a loop for who is held up. From then on it is a walk */

static struct surw {
	struct spots *of;     /* the variables, or the places */
	bool chosen[SPOTS];
	uint32_t list[SPOTS]; /* those that are chosen */
	uint32_t n;
	int next;   /* who makes the next of these steps, perhaps a thread to come; -1: to be drawn */
	uint32_t since; /* steps since the last of them */
	bool stays; /* who runs goes on, until it comes to one of them */
} *surw;

static void init(void)
{
	if (!surw)
		surw = memory_get(sizeof *surw);
}

static void choose(uint32_t number)
{
	if (surw->chosen[number])
		return;
	surw->chosen[number] = true;
	surw->list[surw->n++] = number;
}

/* What lies together often belongs together. */
static void choose_near(uint32_t number)
{
	const struct spots *s = surw->of;

	for (uint32_t i = 0; i < s->n; i++)
		if (s->spot[i].key / NEAR == s->spot[number].key / NEAR)
			choose(i);
}

static void begin(void)
{
	enum { VARIABLE, WALKS, STAYS, WAYS } way = draw_below(WAYS);
	struct spots *s = way == VARIABLE ? &sampling->variables : &sampling->places;

	zero(surw, sizeof *surw);
	surw->of = s;
	surw->next = -1;
	surw->stays = way == STAYS;
	if (!s->n)
		return;
	choose(draw_below(s->n));
	if (way != VARIABLE)
		for (unsigned i = 1; i < PLACES; i++)
			choose(draw_below(s->n));
	else if (draw() >> 63)
		choose_near(surw->list[0]);
}

/* The thread that exists and stands for this one. */
static unsigned standing_for(unsigned thread)
{
	while (thread >= rt->nfibers)
		thread = sampling->parent[thread];
	return thread;
}

static bool is_chosen(const struct pending *p)
{
	int number = surw->of == &sampling->variables ? variable_of(p) : place_of(p);

	return number >= 0 && surw->chosen[number];
}

static int draw_next(void)
{
	uint32_t left[MAX_FIBERS], sum = 0, at;

	for (unsigned i = 0; i < sampling->threads; i++) {
		left[i] = 0;
		for (uint32_t k = 0; k < surw->n; k++)
			left[i] += spot_left(&surw->of->spot[surw->list[k]], i);
		sum += left[i];
	}
	if (!sum)
		return -1;
	at = draw_below(sum);
	for (unsigned i = 0; i < sampling->threads; i++) {
		if (at < left[i])
			return (int)i;
		at -= left[i];
	}
	return -1;
}

static int pick(uint64_t enabled)
{
	uint64_t set = others_first(enabled), held = 0;

	if (surw->n && surw->next < 0)
		surw->next = draw_next();
	if (surw->since > PATIENCE)
		return draw_thread(set);
	if (surw->next >= 0)
		for (uint64_t b = set & ~bit(standing_for((unsigned)surw->next)); b; b &= b - 1)
			if (is_chosen(&rt->fibers[__builtin_ctzll(b)].pending))
				held |= b & -b;
	if (set == held) { /* it waits for those that stopped */
		surw->next = -1;
		return draw_thread(set);
	}
	if (surw->stays && set & ~held & bit(rt->cur->id))
		return (int)rt->cur->id;
	return draw_thread(set & ~held);
}

static void step(const struct event *e)
{
	struct pending p = { .addr = e->addr, .pc = e->pc };

	surw->since++;
	if (!is_chosen(&p))
		return;
	surw->next = -1;
	surw->since = 0;
}

const struct sampler sampler_surw = { .init = init, .begin = begin, .pick = pick, .step = step };
SAMPLING_STRATEGY(surw);

/* SPDX-License-Identifier: MIT
 *
 * All states of a class of executions. The search runs one execution of each class, and comes
 * through some of its states only; the others are those of the same class in another order. A state
 * is a *consistent cut* (Mattern, "Virtual time and global states of distributed systems", 1989): so
 * many steps of each thread, and with each step all that happen before it. The clocks of the log say
 * what does. Two cuts are consistent with each other pair by pair, so the choice is made thread by
 * thread, and left where a pair is not.
 *
 * Classes have most of their cuts in common. A cut is known again by the sum of a hash of each of
 * its steps with its clock: that is the partial order of its steps, which determines the state.
 */
#include "../memory.h"
#include "../progress.h"
#include "../state.h"
#include "../words.h"

#define KNOWN (1u << 20) /* hash table */

static struct cuts {
	uint64_t known[KNOWN];
	uint32_t nknown;
	uint32_t n[MAX_FIBERS];      /* its steps... */
	uint32_t first[MAX_FIBERS];  /* ...from here in: */
	uint32_t *step;              /* log indices, by thread */
	uint64_t *sum;               /* of the hashes up to that step */
	bool *open;                  /* an operation is, after that step */
	uint32_t chosen[MAX_FIBERS]; /* the cut */
	uint8_t *schedule;
	bool (*look)(const uint8_t *schedule, uint32_t length);
	bool stopped, full;
} *c;

void cuts_init(void)
{
	c = memory_get(sizeof *c);
	c->step = memory_get(log_capacity() * sizeof *c->step);
	c->sum = memory_get(log_capacity() * sizeof *c->sum);
	c->open = memory_get(log_capacity() * sizeof *c->open);
	c->schedule = memory_get(log_capacity());
}

void cuts_forget(void)
{
	zero(c->known, sizeof c->known);
	c->nknown = 0;
	c->full = false;
}

/* The steps of each thread. Those that end the process are no states of the threads. */
static void sort_steps(void)
{
	uint32_t used = 0;

	for (unsigned u = 0; u < rt->nfibers; u++) {
		uint64_t sum = 0;
		unsigned depth = 0;

		c->first[u] = used;
		for (uint32_t k = 0; k < rt->n; k++) {
			const struct event *e = &rt->log[k];

			if (e->thread != u || !event_is_step(e))
				continue;
			if (e->kind == LP_EV_EXIT_ALL)
				break;
			if (e->kind == LP_EV_CALL)
				depth++;
			else if (e->kind == LP_EV_RETURN && depth)
				depth--;
			sum += scatter(mix(hash_step(e, rt->clocks[k]), e->pc));
			c->step[used] = k;
			c->open[used] = depth > 0;
			c->sum[used++] = sum;
		}
		c->n[u] = used - c->first[u];
	}
}

/* Does the cut have all that happens before these steps of u and v? */
static bool consistent(unsigned u, unsigned v)
{
	uint32_t n = c->chosen[u], m = c->chosen[v];

	return (!n || rt->clocks[c->step[c->first[u] + n - 1]][v] <= m) &&
	       (!m || rt->clocks[c->step[c->first[v] + m - 1]][u] <= n);
}

static bool met_before(uint64_t key)
{
	uint32_t i = (uint32_t)(key >> 40) & (KNOWN - 1);

	key += !key;
	while (c->known[i] && c->known[i] != key)
		i = (i + 1) & (KNOWN - 1);
	if (c->known[i])
		return true;
	if (c->nknown == KNOWN / 2) {
		c->full = true;
		return true;
	}
	c->known[i] = key;
	c->nknown++;
	return false;
}

static void look_at_cut(void)
{
	uint64_t sum = 0;
	uint32_t length = 0;
	bool open = false;

	for (unsigned u = 0; u < rt->nfibers; u++) {
		uint32_t last = c->first[u] + c->chosen[u] - 1;

		if (!c->chosen[u])
			continue;
		sum += c->sum[last];
		open |= c->open[last];
	}
	if (!open || met_before(mix(sum, 1)))
		return;
	for (uint32_t k = 0; k < rt->n; k++) {
		const struct event *e = &rt->log[k];

		if (event_is_step(e) && e->seq <= c->chosen[e->thread])
			c->schedule[length++] = e->thread;
	}
	c->stopped = !c->look(c->schedule, length);
}

static void choose_for(unsigned u)
{
	if (u == rt->nfibers) {
		look_at_cut();
		return;
	}
	for (uint32_t n = 0; n <= c->n[u] && !c->stopped; n++) {
		bool fits = true;

		c->chosen[u] = n;
		for (unsigned v = 0; v < u && fits; v++)
			fits = consistent(u, v);
		if (fits)
			choose_for(u + 1);
	}
}

bool cuts_of_log(bool (*look)(const uint8_t *schedule, uint32_t length))
{
	c->look = look;
	c->stopped = false;
	sort_steps();
	choose_for(0);
	return !c->stopped && !c->full;
}

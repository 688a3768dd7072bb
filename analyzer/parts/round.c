/* SPDX-License-Identifier: MIT */
#include "parts/round.h"
#include "format/search.h"

#include <stdlib.h>
#include <string.h>

#define FIRST	  2000u  /* executions of a job in the first round; in the next four times as many ... */
#define MOST	  32000u /* ... then twice as many, up to here, but ... */
#define EVENTS	  4e6	 /* ... not more events than that */
#define LEAST	  16u
#define FEW_JOBS  8u /* of the second round; then twice as many, ... */
#define JOBS	  64u /* ... up to here */
#define STEPS	  (1u << 20) /* on the ways to all units of a job */
#define RANGE	  5000u /* executions of a job that draws */
#define ALONE	  10000u /* of auto: executions before the first that is drawn */
#define FEW	  7u	 /* jobs of the exhaustive search for one that draws, if it will be finished */
#define MANY	  16u /* units a shard: they are divided at once ... */
#define ENOUGH	  4u  /* ... or after two rounds; and after four in any case */

static bool is(const struct settings *s, enum lp_search search)
{
	return !strcmp(s->search, lp_search_name(search));
}

bool round_is_random(const struct settings *s)
{
	return is(s, LP_SEARCH_RANDOM) || is(s, LP_SEARCH_PCT) || is(s, LP_SEARCH_POS) ||
	       is(s, LP_SEARCH_SURW) || is(s, LP_SEARCH_WALK);
}

bool round_meets_again(const struct settings *s)
{
	return !is(s, LP_SEARCH_DPOR) && !is(s, LP_SEARCH_SOURCE);
}

uint64_t round_share(uint64_t all, const struct frontier *f)
{
	return f->shared ? (all + f->shards - f->shard) / f->shards : all;
}

static uint64_t executions_left(const struct frontier *f, const struct settings *s)
{
	uint64_t most = round_share(s->max_executions, f), done = f->status.executions;

	if (!s->max_executions)
		return UINT64_MAX;
	return most > done ? most - done : 0;
}

static uint32_t jobs_of_round(const struct frontier *f)
{
	return f->round < 4 ? FEW_JOBS << f->round >> 1 : JOBS;
}

/* A test: parts of so many executions, however few. */
static uint64_t asked_for(void)
{
	const char *text = getenv("LINCHPIN_TEST_PART");

	return text ? strtoull(text, NULL, 10) : 0;
}

static uint64_t budget(const struct frontier *f)
{
	uint64_t n = !f->round ? FIRST : f->round < 4 ? FIRST << (f->round + 1) : MOST;
	double events = f->status.executions ? (double)f->status.events / (double)f->status.executions
					     : 1;

	if (asked_for())
		return asked_for();
	if ((double)n * events > EVENTS)
		n = (uint64_t)(EVENTS / events);
	return n < LEAST ? LEAST : n;
}

/* Units take turns, so that jobs are about as large. */
static uint32_t add_units(struct jobs *jobs, struct units *units, uint32_t most, uint64_t executions)
{
	uint32_t n = units->n < most ? units->n : most;
	uint32_t *steps;

	jobs->list = xcalloc(n + JOBS, sizeof *jobs->list);
	steps = xcalloc(n + 1UL, sizeof *steps);
	for (uint32_t i = 0; i < n; i++) {
		jobs->list[i].units = xcalloc(units->n / n + 1UL, sizeof *jobs->list[i].units);
		jobs->list[i].budget = executions;
	}
	for (uint32_t i = 0; i < units->n; i++) {
		struct job *job = &jobs->list[i % n];
		uint32_t depth = tree_depth(units->list[i]) + 1;

		if (job->nunits && steps[i % n] + depth > STEPS)
			continue;
		steps[i % n] += depth;
		job->units[job->nunits++] = units->list[i];
	}
	free(steps);
	return n;
}

/* Will what is left be finished within the bounds? As far as counts can tell, like runtime/search/auto.c. */
static bool is_late(const struct frontier *f, const struct settings *s)
{
	uint64_t mine = f->status.executions - f->status.drawn;

	return s->max_executions ? f->status.executions >= s->max_executions / 2 : mine >= 100 * ALONE;
}

static uint32_t jobs_that_draw(const struct frontier *f, const struct settings *s, uint32_t others)
{
	if (!f->root)
		return jobs_of_round(f);
	if (!is(s, LP_SEARCH_AUTO) || f->status.executions < ALONE || !others)
		return 0;
	return is_late(f, s) ? others : (others + FEW - 1) / FEW;
}

/* The next range: what is left of one that was begun, or one more; every shard has each so many-th. */
static bool next_range(struct frontier *f, uint64_t most, struct range *r)
{
	for (uint32_t i = 0; i < f->left.n; i++)
		if (f->left.list[i].first < most) {
			*r = f->left.list[i];
			memmove(&f->left.list[i], &f->left.list[i + 1],
				(--f->left.n - i) * sizeof f->left.list[i]);
			return true;
		}
	r->first = RANGE * (f->shared ? f->drawn * f->shards + f->shard - 1 : f->drawn);
	r->n = RANGE;
	f->drawn += r->first < most;
	return r->first < most;
}

static void add_ranges(struct frontier *f, const struct settings *s, struct jobs *jobs, uint32_t n)
{
	uint64_t most = s->max_executions && !f->root ? s->max_executions : UINT64_MAX;
	struct range r;

	for (; n && next_range(f, most, &r); n--)
		jobs->list[jobs->n++] = (struct job){
			.draws = true,
			.range = r,
			.budget = r.n < most - r.first ? r.n : most - r.first,
		};
}

/* No more executions than are allowed, in all jobs together. */
static void keep_to(struct frontier *f, struct jobs *jobs, uint64_t executions)
{
	uint32_t n = jobs->n;

	for (uint32_t i = 0; i < n; i++) {
		struct job *job = &jobs->list[i];
		uint64_t share = executions / (n - i);

		if (job->budget > share)
			job->budget = share ? share : executions;
		executions -= job->budget;
		if (job->budget)
			continue;
		jobs->n = i;
		for (; i < n; i++) {
			free(jobs->list[i].units);
			if (jobs->list[i].draws)
				frontier_left(f, jobs->list[i].range.first, jobs->list[i].range.n);
		}
	}
}

void round_give_back(struct frontier *f, const struct jobs *jobs)
{
	for (uint32_t i = 0; i < jobs->n; i++) {
		const struct job *job = &jobs->list[i];

		if (job->draws && job->drawn < job->range.n)
			frontier_left(f, job->range.first + job->drawn, job->range.n - job->drawn);
	}
}

uint32_t round_make(struct frontier *f, const struct settings *s, struct jobs *jobs)
{
	struct units units = { 0 };
	uint64_t executions = budget(f);

	if (f->root)
		tree_units(f->root, BRANCH_LEFT, &units);
	jobs->n = 0;
	if (f->root && !units.n)
		return 0;
	jobs->n = add_units(jobs, &units, jobs_of_round(f), executions);
	add_ranges(f, s, jobs, jobs_that_draw(f, s, jobs->n));
	if (s->max_executions && f->root)
		keep_to(f, jobs, executions_left(f, s));
	free(units.list);
	if (!jobs->n) {
		free(jobs->list);
		jobs->list = NULL;
	}
	return jobs->n;
}

bool round_of_livelocks(const struct frontier *f, struct jobs *jobs)
{
	if (f->shards || !livelocks_left(&f->livelocks))
		return false;
	jobs->list = xcalloc(1, sizeof *jobs->list);
	jobs->list->livelocks = true;
	jobs->list->budget = 1;
	jobs->n = 1;
	return true;
}

bool round_is_time_to_share(const struct frontier *f, const struct settings *s)
{
	struct units units = { 0 };
	bool enough;

	if (!f->shards || f->shared)
		return false;
	if (f->root)
		tree_units(f->root, BRANCH_LEFT, &units);
	enough = !f->root || !units.n || units.n >= MANY * f->shards ||
		 (f->round >= 2 && units.n >= ENOUGH * f->shards) || f->round >= 4;
	free(units.list);
	return enough;
}

bool round_left_elsewhere(const struct frontier *f)
{
	struct units units = { 0 };
	bool left;

	if (!f->shards || !f->root)
		return false;
	if (livelocks_left(&f->livelocks))
		return true;
	tree_units(f->root, BRANCH_ELSEWHERE, &units);
	tree_units(f->root, BRANCH_FOUND, &units);
	left = units.n != 0;
	free(units.list);
	return left;
}

void round_merge_ranges(struct frontier *f, struct frontier *const *shards, uint32_t n)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < n; i++)
		most = shards[i]->drawn > most ? shards[i]->drawn : most;
	for (uint32_t i = 0; i < n; i++) {
		for (uint32_t k = 0; k < shards[i]->left.n; k++)
			frontier_left(f, shards[i]->left.list[k].first, shards[i]->left.list[k].n);
		for (uint64_t k = shards[i]->drawn; k < most; k++)
			frontier_left(f, RANGE * (k * n + i), RANGE);
	}
	f->drawn = most * n;
}

void round_forget_counts(struct lp_status *s)
{
	struct lp_status fresh = { .magic = s->magic,
				   .version = s->version,
				   .estimate = -1,
				   .restarts = s->restarts };

	fresh.seconds = s->seconds;
	fresh.cpu_seconds = s->cpu_seconds;
	*s = fresh;
}

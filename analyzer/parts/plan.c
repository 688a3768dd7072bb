/* SPDX-License-Identifier: MIT */
#include "parts/plan.h"
#include "format/search.h"

#include <stdlib.h>
#include <string.h>

#define FIRST	 1000u	/* executions of the first job */
#define PART	 8u	/* later ones: so many-th of all that there were, but ... */
#define WORTH	 6e5	/* ... no fewer than have so many events, for which a process is worth while, if these are ... */
#define FEWEST	 500u	/* ... from so many executions ... */
#define LEAST	 6000u	/* ... to so many; */
#define MOST	 32000u /* no more, */
#define EVENTS	 4e6	/* and no more events, */
#define TINY	 16u	/* however many there are in an execution. */
#define SLICES	 4u	/* A job gets so many-th of what is left, as far as that can be guessed. */
#define OTHERS	 4u	/* While so many are given out, what is left must be ... */
#define SCRAPS	 3u	/* ... so many-th of a job to be one. */
#define STEPS	 (1u << 20) /* on the ways to all its units */
#define RANGE	 5000u	/* executions of a job that draws */
#define ALONE	 10000u /* of auto: executions before the first that is drawn */
#define FEW	 7u	/* jobs of the exhaustive search for one that draws, if it will be finished */
#define MANY	 16u	/* units a shard: they are divided at once ... */
#define ENOUGH	 4u	/* ... or after some jobs ... */
#define SOME	 16u
#define PATIENCE 32u /* ... and after so many in any case */

static bool is(const struct settings *s, enum lp_search search)
{
	return !strcmp(s->search, lp_search_name(search));
}

bool plan_is_random(const struct settings *s)
{
	return lp_search_random(lp_search_named(s->search));
}

bool plan_meets_again(const struct settings *s)
{
	return !is(s, LP_SEARCH_DPOR) && !is(s, LP_SEARCH_SOURCE);
}

uint64_t plan_share(uint64_t all, const struct frontier *f)
{
	return f->shared ? (all + f->shards - f->shard) / f->shards : all;
}

/* What is allowed, without what was given out. */
static uint64_t executions_left(const struct frontier *f, const struct settings *s)
{
	uint64_t most = plan_share(s->max_executions, f), done = f->status.executions;

	if (!s->max_executions)
		return UINT64_MAX;
	for (uint32_t i = 0; i < f->jobs.n; i++)
		done += f->jobs.list[i].budget;
	return most > done ? most - done : 0;
}

/* A test: parts of so many executions, however few. */
static uint64_t asked_for(void)
{
	const char *text = getenv("LINCHPIN_TEST_PART");

	return text ? strtoull(text, NULL, 10) : 0;
}

static double events_each(const struct frontier *f)
{
	const struct lp_status *s = &f->status;

	return s->executions && s->events ? (double)s->events / (double)s->executions : 1;
}

/* Large enough for what it costs to begin a process. */
static uint64_t least(const struct frontier *f)
{
	double n = WORTH / events_each(f);

	return n < FEWEST ? FEWEST : n > LEAST ? LEAST : (uint64_t)n;
}

/* Small enough for all of them to end at about the same time. Executions that are cut are what it costs to divide. */
static uint64_t budget(const struct frontier *f)
{
	const struct lp_status *s = &f->status;
	double events = events_each(f);
	uint64_t n = s->executions / PART + s->blocked;

	if (asked_for())
		return asked_for();
	if (!f->joined)
		return FIRST;
	n = n < least(f) ? least(f) : n;
	n = n > MOST ? MOST : n;
	n = (double)n * events > EVENTS ? (uint64_t)(EVENTS / events) : n;
	return n < TINY ? TINY : n;
}

/* Those that no job has. */
static void units_left(const struct frontier *f, struct units *units)
{
	uint32_t n = 0;

	if (f->root)
		tree_units(f->root, BRANCH_LEFT, units);
	for (uint32_t i = 0; i < units->n; i++)
		if (!units->list[i]->given)
			units->list[n++] = units->list[i];
	units->n = n;
}

/* The largest ones, as far as that is known, and so many that the job is worth a process. None: there will be more. */
static void give_units(struct job *job, const struct units *units, const struct frontier *f)
{
	uint64_t worth = job->budget < least(f) ? job->budget : least(f);
	uint64_t all = 0, sum = 0, steps = 0, enough;
	uint32_t n = 0;

	for (uint32_t i = 0; i < units->n; i++)
		all += 1ULL << units->list[i]->size;
	if (f->jobs.n >= OTHERS && all < worth / SCRAPS)
		return;
	enough = all / SLICES < worth ? worth : all / SLICES;
	for (int size = 63; size >= 0 && sum < enough; size--)
		for (uint32_t i = units->n; i-- && sum < enough;) {
			struct branch *unit = units->list[i];

			if (unit->size != size || (n && steps + tree_depth(unit) >= STEPS))
				continue;
			unit->given = 1;
			steps += tree_depth(unit) + 1;
			sum += 1ULL << size;
			n++;
		}
	job->units = xcalloc(n, sizeof *job->units);
	for (uint32_t i = 0; i < units->n; i++)
		if (units->list[i]->given)
			job->units[job->nunits++] = units->list[i];
}

/* Will what is left be finished within the bounds? As far as counts can tell, like runtime/search/auto.c. */
static bool is_late(const struct frontier *f, const struct settings *s)
{
	uint64_t mine = f->status.executions - f->status.drawn;

	return s->max_executions ? f->status.executions >= s->max_executions / 2 : mine >= 100 * ALONE;
}

/* Is it the turn of the random search? Of its jobs and others in the order of their numbers. */
static bool draws(const struct frontier *f, const struct settings *s, uint64_t number)
{
	if (!f->root)
		return true;
	if (!is(s, LP_SEARCH_AUTO) || f->status.executions < ALONE)
		return false;
	return number % (is_late(f, s) ? 2 : FEW + 1) == 0;
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
	if (f->shards && !f->shared && !f->root) { /* it describes the run; share() drops it */
		*r = (struct range){ 0, 1 };
		return true;
	}
	r->first = RANGE * (f->shared ? f->drawn * f->shards + f->shard - 1 : f->drawn);
	r->n = RANGE;
	f->drawn += r->first < most;
	return r->first < most;
}

bool plan_next(struct frontier *f, const struct settings *s)
{
	uint64_t most = s->max_executions && !f->root ? s->max_executions : UINT64_MAX;
	struct job job = { .number = f->joined + f->jobs.n, .budget = executions_left(f, s) };
	struct units units = { 0 };
	uint64_t wanted;

	/* before they are divided among shards, each of these does the same, one job after the other */
	if (f->jobs.n == (f->shards && !f->shared ? 1 : JOBS) || (!job.budget && f->root))
		return false;
	units_left(f, &units);
	job.draws = (!f->root || units.n) && draws(f, s, job.number) && next_range(f, most, &job.range);
	if (job.draws) {
		wanted = job.range.n < most - job.range.first ? job.range.n : most - job.range.first;
		job.budget = f->root && wanted > job.budget ? job.budget : wanted;
	} else if (units.n) {
		wanted = budget(f);
		job.budget = wanted < job.budget ? wanted : job.budget;
		give_units(&job, &units, f);
	}
	if (job.draws || job.nunits)
		f->jobs.list[f->jobs.n++] = job;
	free(units.list);
	return job.draws || job.nunits;
}

bool plan_livelocks(struct frontier *f)
{
	if (f->shards || !livelocks_left(&f->livelocks))
		return false;
	f->jobs.list[f->jobs.n++] = (struct job){ .number = f->joined, .budget = 1, .livelocks = true };
	return true;
}

bool plan_is_time_to_share(const struct frontier *f)
{
	struct units units = { 0 };
	bool enough;

	if (!f->shards || f->shared || f->jobs.n)
		return false;
	units_left(f, &units);
	enough = !f->root ? f->joined : !units.n || units.n >= MANY * f->shards ||
		 (f->joined >= SOME && units.n >= ENOUGH * f->shards) || f->joined >= PATIENCE;
	free(units.list);
	return enough;
}

bool plan_left_elsewhere(const struct frontier *f)
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

void plan_merge_ranges(struct frontier *f, struct frontier *const *shards, uint32_t n)
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

void plan_forget_counts(struct lp_status *s)
{
	struct lp_status fresh = { .magic = s->magic,
				   .version = s->version,
				   .estimate = -1,
				   .restarts = s->restarts };

	fresh.seconds = s->seconds;
	fresh.cpu_seconds = s->cpu_seconds;
	*s = fresh;
}

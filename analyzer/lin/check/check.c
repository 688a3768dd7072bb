/* SPDX-License-Identifier: MIT
 *
 * lin_check: split the history into parts, decide each with a monitor or the general search, put
 * the answers together.
 */
#include "lin/check/check.h"
#include "lin/check/witness.h"
#include "lin/plugin.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_MEMORY ((size_t)1 << 30)
#define TINY           12   /* operations: the general search is faster than setting up a monitor */
#define PARALLEL       2000 /* operations: fewer are not worth a thread */

enum lin_verdict check_part(const struct lin_part *part, struct lin_run *run, enum check_mode mode,
			    int workers)
{
	const struct adt *adt = part->spec->adt;
	enum monitor_answer answer = MONITOR_DECLINES;
	struct search_result found;

	if (mode == CHECK_MONITOR || (mode == CHECK_AUTO && part->nops > TINY)) {
		if (adt->monitor)
			answer = adt->monitor(part, NULL);
		if (answer != MONITOR_DECLINES)
			return answer == MONITOR_OK ? LIN_OK : LIN_VIOLATION;
		if (mode == CHECK_MONITOR)
			return LIN_UNKNOWN;
	}
	search_part(part, run, workers, false, &found);
	free(found.order);
	return found.verdict;
}

/* Parts are taken by number; those after a violation need not be checked, so the first one is
 * always found. */
struct sweep {
	const struct lin_problem *problem;
	struct lin_run *run;
	enum check_mode mode;
	enum lin_verdict *verdicts;
	uint32_t next;      /* atomic */
	uint32_t first_bad; /* atomic: the lowest part known to be a violation */
	int workers;
};

static void found_bad(struct sweep *w, uint32_t part)
{
	uint32_t seen = __atomic_load_n(&w->first_bad, __ATOMIC_RELAXED);

	while (part < seen && !__atomic_compare_exchange_n(&w->first_bad, &seen, part, true,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void *sweep_parts(void *argument)
{
	struct sweep *w = argument;
	uint32_t n = w->problem->nparts, i;

	while ((i = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED)) < n) {
		if (i > __atomic_load_n(&w->first_bad, __ATOMIC_RELAXED))
			break;
		w->verdicts[i] = check_part(&w->problem->parts[i], w->run, w->mode, w->workers);
		if (w->verdicts[i] == LIN_VIOLATION)
			found_bad(w, i);
	}
	return NULL;
}

static void sweep_all(struct sweep *w, int workers)
{
	pthread_t threads[64];
	int n = 0;

	if (workers > 1 && w->problem->nparts > 1 && w->problem->nops >= PARALLEL) {
		w->workers = 1;
		for (; n < workers - 1 && n < 64; n++)
			if (pthread_create(&threads[n], NULL, sweep_parts, w))
				break;
	}
	sweep_parts(w);
	while (n)
		pthread_join(threads[--n], NULL);
}

/* The answer for the whole: the first violation, else the first part that is unknown, else
 * LIN_OK. */
static uint32_t combine(const struct sweep *w, struct lin_result *result)
{
	uint32_t n = w->problem->nparts, unknown = n;

	result->verdict = LIN_OK;
	for (uint32_t i = 0; i < n && i <= w->first_bad; i++) {
		if (w->verdicts[i] == LIN_VIOLATION) {
			result->verdict = LIN_VIOLATION;
			result->object = w->problem->parts[i].object;
			return i;
		}
		if (w->verdicts[i] == LIN_UNKNOWN && unknown == n)
			unknown = i;
	}
	if (unknown < n) {
		result->verdict = LIN_UNKNOWN;
		result->object = w->problem->parts[unknown].object;
	}
	return unknown;
}

static int plugin_errors(const struct lin_problem *p, struct error *e)
{
	for (uint32_t i = 0; i < p->nspecs; i++) {
		int64_t unknown = p->specs[i].pool ? plugin_pool_unknown(p->specs[i].pool) : -1;

		if (unknown >= 0)
			return error_set(e, "operation %lld (\"%s\") is not one of a %s",
					 (long long)unknown + 1,
					 p->history->methods[p->history->ops[unknown].method],
					 p->specs[i].adt->noun);
	}
	return 0;
}

static int check_problem(const struct lin_problem *p, struct lin_run *run, enum check_mode mode,
			 struct lin_result *result, struct error *e)
{
	const struct lin_options *o = run->options;
	struct sweep w = { .problem = p,
			   .run = run,
			   .mode = mode,
			   .first_bad = UINT32_MAX,
			   .workers = o->workers };
	uint32_t part;

	w.verdicts = arena_alloc(p->arena, p->nparts * sizeof *w.verdicts);
	for (uint32_t i = 0; i < p->nparts; i++)
		w.verdicts[i] = LIN_UNKNOWN;
	for (uint32_t i = 0; i < p->nspecs; i++)
		if (p->specs[i].pool)
			plugin_pool_bind(p->specs[i].pool, &run->memory, run->memory_limit);
	sweep_all(&w, o->workers);
	if (plugin_errors(p, e))
		return -1;
	part = combine(&w, result);
	if (result->verdict == LIN_VIOLATION && o->witness)
		witness_find(&p->parts[part], run, mode, result);
	if (result->verdict == LIN_UNKNOWN)
		order_partial(&p->parts[part], run, result);
	if (result->verdict == LIN_OK && o->linearization)
		order_all(p, run, result);
	return 0;
}

int lin_check_mode(const struct history *h, const struct lin_options *options, enum check_mode mode,
		   struct lin_result *result, struct error *e)
{
	static const struct lin_options none;
	uint64_t buffer[512];
	struct arena arena = { (char *)buffer, (char *)(buffer + 512), NULL };
	struct lin_problem problem;
	struct lin_run run = { .options = options ? options : &none };
	int status;

	options = run.options;
	memset(result, 0, sizeof *result);
	run.memory_limit = options->memory ? options->memory : DEFAULT_MEMORY;
	if (options->seconds > 0 && h->nops > TINY)
		run.deadline = now_seconds() + options->seconds;
	status = problem_build(&problem, h, options, mode != CHECK_WHOLE, &arena, e);
	if (!status)
		status = check_problem(&problem, &run, mode, result, e);
	problem_free(&problem);
	arena_free(&arena);
	if (status)
		lin_result_free(result);
	return status;
}

int lin_check(const struct history *h, const struct lin_options *options, struct lin_result *result,
	      struct error *e)
{
	return lin_check_mode(h, options,
			      options && options->general_only ? CHECK_GENERAL : CHECK_AUTO, result,
			      e);
}

void lin_result_free(struct lin_result *result)
{
	free(result->witness);
	free(result->why);
	free(result->order);
	memset(result, 0, sizeof *result);
}

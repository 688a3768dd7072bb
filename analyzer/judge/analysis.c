/* SPDX-License-Identifier: MIT
 *
 * Two passes over the classes of a run. The first gives each class a verdict,
 * collects what is wrong, and computes the eliminators of the classes that are
 * not linearizable; the second counts which linearizable classes each repair
 * would exclude as well. In between nothing is kept of a class but a bit, and
 * that only from the first one on with which something is wrong, so a run may
 * be larger than memory.
 */
#include "judge/analysis.h"
#include "base/budget.h"
#include "judge/beyond.h"
#include "judge/confirm.h"
#include "judge/leaks.h"
#include "judge/pass.h"
#include "judge/racing.h"
#include "judge/self.h"
#include "judge/smaller.h"
#include "judge/verdict.h"
#include "judge/wrong.h"
#include "run/files.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the time that is left, for the first and the second pass, and for what lies between them. */
#define FIRST_SHARE  0.6
#define BEYOND_SHARE 0.3
#define SECOND_SHARE 0.4

/* Classes that ended early of which each is looked at, be it only briefly. */
#define LEAST_BEYOND 20

static int first_pass(struct pass *p, struct error *e)
{
	struct trace t = { 0 };
	int more;

	budget_phase(budget_until(FIRST_SHARE));
	while ((more = run_next(p->a->run, &t, e)) == 1 && pass_class(p, &t, e) == 0)
		;
	budget_phase(INFINITY);
	pass_alone(p);
	trace_free(&t);
	return more == 0 ? 0 : -1;
}

/* What other threads would have done after early ends is looked up in all classes, and counts then. */
static int beyond_pass(struct pass *p, struct error *e)
{
	const double half = budget_until(BEYOND_SHARE / 2), until = budget_until(BEYOND_SHARE);
	struct analysis *a = p->a;
	struct trace t = { 0 };
	uint64_t done = 0;
	int more = 1;

	run_rewind(a->run);
	while (!budget_passed(half) && (more = run_next(a->run, &t, e)) == 1 && beyond_see(a->beyond, &t))
		;
	budget_phase(until);
	run_rewind(a->run);
	while (more >= 0 && beyond_left(a->beyond) && (done < LEAST_BEYOND || !budget_passed(until)) &&
	       (more = run_next(a->run, &t, e)) == 1) {
		if (!beyond_wanted(a->beyond, t.number))
			continue;
		pass_beyond(p, &t);
		done++;
	}
	budget_phase(INFINITY);
	a->unanalysed += beyond_left(a->beyond);
	trace_free(&t);
	return more < 0 ? -1 : 0;
}

static int second_pass(struct pass *p, struct error *e)
{
	const double until = budget_until(SECOND_SHARE);
	struct analysis *a = p->a;
	struct trace t = { 0 };
	int more = 0;

	a->counted = 0;
	run_rewind(a->run);
	while (!budget_passed(until) && (more = run_next(a->run, &t, e)) == 1) {
		if (!analysis_is_valid(a, t.number))
			continue;
		a->counted++;
		ranking_add_valid(a->ranking, &t);
		closure_see(a->closure, &t);
	}
	trace_free(&t);
	return more < 0 ? -1 : 0;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void keep_lines(struct pass *p)
{
	struct analysis *a = p->a;

	a->histories = p->plain.n;
	a->nhistory_lines = p->judged.n;
	a->history_lines = xcalloc(p->judged.n, sizeof *a->history_lines);
	for (uint32_t i = 0; i < p->judged.n; i++) {
		const struct numbering_key *k = &p->judged.keys[i];

		a->history_lines[i] = xstrndup((const char *)p->judged.bytes + k->start, k->size);
	}
	qsort(a->history_lines, a->nhistory_lines, sizeof *a->history_lines, compare_lines);
}

static int compare_findings(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	if (x->is_history != y->is_history)
		return x->is_history ? -1 : 1;
	if (x->leak != y->leak) /* these come last */
		return x->leak < y->leak ? -1 : 1;
	return x->class < y->class ? -1 : x->class > y->class;
}

/* Lines are what this is about, so a program that was rebuilt since the run is
 * an error. */
static int begin_ranking(struct pass *p, struct error *e)
{
	struct analysis *a = p->a;

	a->map = srcmap_open(a->run, e);
	if (!a->map)
		return -1;
	wrong_begin(a, wrong_without_operations(a->run));
	a->races = p->options->races;
	a->leaks = p->options->leaks;
	if (p->options->coverage)
		a->cover = coverage_new(a->run, a->map);
	return 0;
}

/* Some executions end badly with operations one at a time, too: what is wrong is how the program calls them. Blocks that
 * hold several operations may be the answer, as if none were known. What they return is right in all classes, so
 * nothing is lost. False: there is no such answer. */
static bool look_at_several(struct pass *p, struct error *e)
{
	const double until = budget_until(SECOND_SHARE);
	struct analysis *a = p->a;
	struct trace t = { 0 };
	bool serial = false;
	int more = 0;

	wrong_begin(a, true);
	a->unrepairable = a->ends_analysed = 0;
	run_rewind(a->run);
	while (!serial && !budget_passed(until) && (more = run_next(a->run, &t, e)) == 1) {
		if (analysis_is_valid(a, t.number))
			wrong_see_right(a, &t);
		else
			serial = pass_again(p, &t) == REPAIR_SERIAL;
	}
	trace_free(&t);
	return !serial && more == 0;
}

static void look_at_ends(struct pass *p, struct error *e)
{
	struct analysis *a = p->a;

	if (!a->serial || a->nonlinearizable || a->no_operations || !analysis_complete(a) || a->unknown || a->unjudged ||
	    a->unanalysed || !wrong_operations_named(a->run))
		return;
	a->several = look_at_several(p, e);
	a->serial = !a->several;
}

/* Something is wrong. Is it so even if operations run one at a time? Then it is not about which
 * statements are atomic. */
static void look_at_sequential(struct pass *p)
{
	struct analysis *a = p->a;

	if (!a->nonlinearizable || strcmp(a->check, "lin") != 0 || p->options->nested)
		return;
	if (!a->self) {
		a->brief = true;
		a->self = self_open(a->run, p->options->replay ? SELF_BRIEF : SELF_RECORDED, NULL);
	}
	if (a->self)
		a->alone = self_contradiction(a->self, p->options->specification);
}

/* Repairs of all that has been added to the ranking; also again, when more was. */
static int rank_repairs(void *data, struct error *e)
{
	struct pass *p = data;
	struct analysis *a = p->a;

	ranking_combine(a->ranking);
	if (second_pass(p, e) < 0)
		return -1;
	a->repairs = ranking_finish(a->ranking);
	return 0;
}

static int finish_ranking(struct pass *p, struct error *e)
{
	struct analysis *a = p->a;

	if (!analysis_ordered(a) || a->alone || a->serial || !run_has_classes(a->run))
		return 0;
	if (beyond_left(a->beyond) && beyond_pass(p, e) < 0)
		return -1;
	if (p->options->nested)
		return 0;
	wrong_finish(a);
	return rank_repairs(p, e);
}

/* Blocks are in force already in some runs. */
static bool may_prove(const struct pass *p)
{
	char *blocks = run_files_path(p->a->run->directory, "blocks");
	bool free_run = !blocks;

	free(blocks);
	return free_run && p->options->replay && analysis_ordered(p->a) && run_has_classes(p->a->run) &&
	       analysis_has_violation(p->a);
}

static void prove(struct pass *p)
{
	const struct prove_options options = {
		.most = p->options->prove,
		.patient = p->options->patient,
		.specification = p->options->specification,
		.rank = rank_repairs,
		.data = p,
	};

	if (options.most && may_prove(p))
		prove_repairs(p->a, &options, &p->a->proofs);
}

static int run_passes(struct pass *p, struct error *e)
{
	struct analysis *a = p->a;

	if (begin_ranking(p, e) < 0 || first_pass(p, e) < 0)
		return -1;
	look_at_sequential(p);
	look_at_ends(p, e);
	if (finish_ranking(p, e) < 0)
		return -1;
	keep_lines(p);
	if (a->cover)
		a->coverage = coverage_finish(a->cover);
	if (p->options->leaks && leaks_find(a, e) < 0)
		return -1;
	a->replay.leaks = p->options->leaks;
	if (a->nfindings)
		qsort(a->findings, a->nfindings, sizeof *a->findings, compare_findings);
	if (p->options->replay && a->nfindings)
		confirm_findings(a, a->findings, a->nfindings, p->options->specification);
	prove(p);
	if (p->options->smaller)
		a->smaller = smaller_client(a, p->options);
	return 0;
}

int analysis_run(struct run *run, const struct analysis_options *options, struct analysis *a,
		 struct error *e)
{
	struct pass p;
	int result;

	pass_begin(&p, a, run, options);
	result = run_passes(&p, e);
	pass_free(&p);
	return result;
}

int analysis_load(const struct analysis *a, const struct finding *f, struct trace *t,
		  struct run **run, struct error *e)
{
	bool again = f->replayed == REPLAY_SAME;
	struct srcmap *map = again ? a->replay.map : a->map;
	int found;

	*run = again ? a->replay.run : a->run;
	found = run_load(*run, again ? f->replay_class : f->class, t, e);
	if (found == 0)
		return error_set(e, "%s: class %" PRIu64 " is missing", a->run->directory,
				 f->class);
	if (found > 0 && f->outcome == LP_OUT_DATA_RACE && !f->is_history)
		racing_find(*run, map, a->races, f->end, t, true);
	if (found > 0 && f->leak)
		leaks_show(*run, map, f, t, true);
	return found < 0 ? -1 : 0;
}

bool analysis_complete(const struct analysis *a)
{
	return search_complete(&a->run->status) && !a->unjudged;
}

bool analysis_has_violation(const struct analysis *a)
{
	for (size_t i = 0; i < a->nfindings; i++) {
		if (a->findings[i].replayed != REPLAY_DIFFERENT)
			return true;
	}
	return false;
}

void analysis_free(struct analysis *a)
{
	for (size_t i = 0; i < a->nfindings; i++) {
		free(a->findings[i].schedule);
		free(a->findings[i].history);
		free(a->findings[i].end);
		free(a->findings[i].why);
		free(a->findings[i].shorter);
	}
	free(a->findings);
	for (size_t i = 0; i < a->nhistory_lines; i++)
		free(a->history_lines[i]);
	free(a->history_lines);
	wrong_free(a);
	free(a->smaller);
	proofs_free(&a->proofs);
	free(a->valid);
	coverage_free(a->cover);
	if (a->map)
		srcmap_close(a->map);
	replay_end(&a->replay);
	if (!a->self_borrowed)
		self_free(a->self);
	free(a->alone);
	free(a->called);
	free(a->unlisted.sites);
	*a = (struct analysis){ 0 };
}

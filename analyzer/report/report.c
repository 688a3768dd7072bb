/* SPDX-License-Identifier: MIT */
#include "report/report.h"
#include "report/coverage.h"
#include "report/leaks.h"
#include "judge/analysis.h"
#include "judge/verdict.h"
#include "report/model.h"
#include "report/outputs.h"
#include "report/summary.h"
#include "report/text.h"
#include "report/waits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* How much is shown without --verbose. */
#define SHOWN_HISTORIES 1
#define SHOWN_ENDS      3
#define SHOWN_RACES     10
#define SHOWN_REPAIRS   5

struct report {
	const struct report_options *options;
	struct analysis *a;
	const char *directory;
	FILE *out;
	struct text_style style;
	struct srcmap *replay_map; /* of the executions that were replayed, opened when needed */
	struct report_repairs shown;
};

static struct srcmap *map_for(struct report *r, const struct run *run, struct error *e)
{
	if (run == r->a->run)
		return r->a->map;
	if (!r->replay_map)
		r->replay_map = srcmap_open(run, e);
	return r->replay_map;
}

/* The command that shows it, and whether it happened again. */
static void print_again(const struct report *r, const struct finding *f)
{
	const char *directory = r->directory;
	char *which;

	if (r->options->unrecorded) {
		fputc('\n', r->out);
		return;
	}
	if (f->replayed == REPLAY_SAME)
		fputs("  executed again with the same result; ", r->out);
	else
		fputs("  not executed again; ", r->out);
	which = f->as_recorded ? xasprintf("%s %" PRIu64, directory, f->class)
			       : xasprintf("%s '%s'", directory, f->schedule);
	fprintf(r->out, "to see every step: linchpin replay %s\n", which);
	fprintf(r->out, "  to stand there: linchpin replay --gdb %s\n\n", which);
	free(which);
}

static bool is_repair_of_run(const struct report *r, const struct repair *repair)
{
	const struct ranking_result *result = r->a->repairs;

	for (uint32_t i = 0; result && i < result->nrepairs; i++)
		if (repair_equal(&result->repairs[i].repair, repair))
			return true;
	return false;
}

/* The repairs of one execution that are not repairs of the run. The blocks belong to *ranking, free
 * both. */
static struct repair *own_repairs(const struct report *r, struct srcmap *map, const struct trace *t,
				  struct ranking **ranking, uint32_t *n)
{
	const struct source_map source = srcmap_source(map);
	struct repair *own;
	uint32_t all;

	*ranking = ranking_new(&source, NULL);
	ranking_add_violation(*ranking, t);
	all = ranking_last_count(*ranking);
	own = xcalloc(all, sizeof *own);
	*n = 0;
	for (uint32_t i = 0; i < all && (r->options->verbose || *n < SHOWN_REPAIRS); i++)
		if (!is_repair_of_run(r, ranking_last(*ranking, i)))
			own[(*n)++] = *ranking_last(*ranking, i);
	return own;
}

static void print_history(struct report *r, const struct finding *f, bool with_repairs,
			  const struct run *run, struct srcmap *map, const struct trace *t)
{
	struct report_violation v = {
		.trace = t,
		.specification = model_specification(r->a, r->options->specification, run, t),
		.why = f->why,
		.classes = f->classes,
		.total = r->a->classes,
		.repairs = with_repairs ? &r->shown : NULL,
		.alone = r->a->alone,
	};
	struct ranking *ranking = NULL;
	struct repair *own = NULL;

	if (!v.alone && !r->a->serial)
		v.own = own = own_repairs(r, map, t, &ranking, &v.nown);
	report_violation(r->out, &r->style, map, run, &v);
	free(own);
	if (ranking)
		ranking_free(ranking);
}

/* The repairs are those of all findings; an execution that has none is not shown with them. */
static void print_end(struct report *r, const struct finding *f, bool with_repairs,
		      const struct run *run, struct srcmap *map, const struct trace *t)
{
	const struct report_end e = {
		.trace = t,
		.classes = f->classes,
		.repairs = with_repairs ? &r->shown : NULL,
		.serial = f->serial,
		.analysis = r->a,
	};

	report_outcome(r->out, &r->style, map, run, &e);
}

static int print_finding(struct report *r, const struct finding *f, bool with_repairs,
			 struct error *e)
{
	struct trace t = { 0 };
	struct run *run;
	struct srcmap *map;
	int result = analysis_load(r->a, f, &t, &run, e);

	map = result == 0 ? map_for(r, run, e) : NULL;
	if (!map) {
		trace_free(&t);
		return -1;
	}
	t.number = f->class; /* in the run that the user knows */
	if (f->is_history)
		print_history(r, f, with_repairs, run, map, &t);
	else
		print_end(r, f, with_repairs, run, map, &t);
	print_again(r, f);
	trace_free(&t);
	return 0;
}

void report_first(FILE *out, struct analysis *a, const struct finding *f,
		  const struct report_options *options, const char *directory)
{
	struct report r = { .options = options, .a = a, .directory = directory, .out = out };

	r.style = text_style_for(stderr);
	print_finding(&r, f, false, NULL);
	if (r.replay_map)
		srcmap_close(r.replay_map);
}

static int print_findings(struct report *r, struct error *e)
{
	uint64_t histories = 0, ends = 0, races = 0, leaks = 0, hidden = 0;
	bool repairs = false; /* printed, with the first finding that they exclude */

	for (size_t i = 0; i < r->a->nfindings; i++) {
		const struct finding *f = &r->a->findings[i];
		bool race = !f->is_history && f->outcome == LP_OUT_DATA_RACE;
		uint64_t *count = f->is_history ? &histories : race ? &races : f->leak ? &leaks : &ends;
		uint64_t shown = f->is_history ? SHOWN_HISTORIES : race || f->leak ? SHOWN_RACES : SHOWN_ENDS;

		if (f->replayed == REPLAY_DIFFERENT)
			continue;
		if (!r->options->verbose && *count == shown) {
			hidden++;
			continue;
		}
		if (print_finding(r, f, f->repairable && !repairs, e) < 0)
			return -1;
		repairs |= f->repairable;
		++*count;
	}
	if (hidden && !r->options->unrecorded)
		fprintf(r->out, "%" PRIu64 " more %s: linchpin report -v %s\n\n", hidden,
			plural(hidden, "violation", "violations"), r->a->run->directory);
	return 0;
}

/* What is known about repairs and does not fit into their list. */
static void print_repair_limits(const struct report *r)
{
	const struct ranking_result *result = r->a->repairs;

	if (!result)
		return;
	if (result->nrepairs > r->shown.n)
		fprintf(r->out, "%" PRIu32 " more %s: linchpin report -v %s\n",
			result->nrepairs - r->shown.n,
			plural(result->nrepairs - r->shown.n, "repair", "repairs"),
			r->a->run->directory);
	if (result->waits_inside)
		fprintf(r->out,
			"note: a block that excludes %s would have to contain the wait at %s, and "
			"nobody could end that wait then (%" PRIu64 " %s)\n",
			plural(result->waits_inside, "one incorrect execution",
			       "some incorrect executions"),
			srcmap_place(r->a->map, srcmap_own_frame(r->a->map, result->wait_site),
				     false),
			result->waits_inside, plural(result->waits_inside, "class", "classes"));
	if (result->waits_inside && waits_once(r->a->map, result->wait_site))
		fputs("note: that wait is in no loop: once it is over, what was waited for may be gone again, or not be there yet; "
		      "test it again, with `while` instead of `if`\n",
		      r->out);
	if (result->without_repair > result->waits_inside)
		fprintf(r->out, "note: no atomic block excludes %" PRIu64 " incorrect %s\n",
			result->without_repair - result->waits_inside,
			plural(result->without_repair - result->waits_inside, "execution",
			       "executions"));
	if (result->cut_short && !(r->a->proofs.n && r->a->proofs.list[0].atomic.result == PROOF_HOLDS))
		fprintf(r->out,
			"note: %" PRIu64 " incorrect %s before it is seen what excludes %s: other threads "
			"are in the middle of something\n",
			result->cut_short,
			plural(result->cut_short, "execution ends", "executions end"),
			plural(result->cut_short, "it", "them"));
	if (r->a->without_gate)
		fputs("note: one lock around both calls cannot be had where the locks are taken in "
		      "different operations\n",
		      r->out);
	if (result->unmapped)
		fprintf(r->out,
			"note: the repairs of %" PRIu64
			" incorrect %s are in code without line numbers\n",
			result->unmapped, plural(result->unmapped, "execution", "executions"));
	if (result->truncated || result->pruned || r->a->unanalysed)
		fprintf(r->out, "note: not all repairs were computed%s\n",
			result->nrepairs && !r->a->unrepairable && !r->a->unanalysed
				? "; those shown exclude every incorrect execution"
				: "");
}

/* A finding that did not happen again is a problem of the program or of linchpin, but not reported
 * as a violation. */
static uint64_t count_different(const struct analysis *a)
{
	uint64_t n = 0;

	for (size_t i = 0; i < a->nfindings; i++)
		n += a->findings[i].replayed == REPLAY_DIFFERENT;
	return n;
}

static int print_all(struct report *r, struct error *e)
{
	report_repairs_collect(r->a, r->options->verbose ? UINT32_MAX : SHOWN_REPAIRS, &r->shown);
	if (print_findings(r, e) < 0)
		return -1;
	if (!r->options->quiet || r->options->verbose || r->a->nfindings)
		print_repair_limits(r);
	if (r->a->smaller)
		fprintf(r->out, "smaller:  '%s' fails in the same way\n\n", r->a->smaller);
	else if (r->options->smaller && r->a->nfindings)
		fputs("smaller:  no smaller client that fails in the same way was found\n\n", r->out);
	if (!r->options->leaks && (!r->options->quiet || r->options->verbose))
		report_leaks(r->out, &r->style, r->a, r->options->verbose);
	if (r->a->coverage && r->options->coverage && (!r->options->quiet || r->options->verbose))
		report_coverage(r->out, r->a, r->options->verbose);
	if (!r->options->quiet)
		report_summary(r->out, r->a);
	fflush(r->out);
	if (!r->options->quiet && !r->options->warned)
		srcmap_warnings(r->a->map, stderr);
	return 0;
}

/* What limits the result as a whole. True if the test tests nothing. */
static bool print_warnings(const struct report *r, uint64_t different)
{
	const struct analysis *a = r->a;
	/* A violation is reported even if the threads share no memory. */
	char *nothing = analysis_has_violation(a) ? NULL : vacuous(a);
	const char *marks = unmarked(a);
	bool is_vacuous = nothing != NULL;

	if (a->replay_error.message[0] && a->nfindings)
		fprintf(stderr, "linchpin: warning: violations were not executed again: %s\n",
			a->replay_error.message);
	if (different)
		fprintf(stderr,
			"linchpin: %" PRIu64
			" %s did not happen again in a second execution and %s "
			"not reported: the program is not deterministic; --isolate=fork may help\n",
			different, plural(different, "violation", "violations"),
			plural(different, "is", "are"));
	if (nothing)
		fprintf(stderr, "linchpin: %s\n", nothing);
	else if (marks && r->options->asked && !analysis_has_violation(a))
		fprintf(stderr, "linchpin: nothing was checked: %s\n", marks);
	free(nothing);
	return is_vacuous || (marks && r->options->asked);
}

/* The runtime gave up, or was killed: a search that found nothing then says nothing. */
static bool killed(const struct analysis *a)
{
	return a->run->status.end == LP_END_ERROR || a->run->status.end == LP_END_RUNNING;
}

static int exit_code(const struct report *r)
{
	const struct analysis *a = r->a;
	uint64_t different = count_different(a);
	bool nothing = print_warnings(r, different);

	if (analysis_has_violation(a))
		return EXIT_VIOLATION;
	if (nothing || different || killed(a))
		return EXIT_MISUSE;
	if (a->run->status.end == LP_END_INTERRUPTED)
		return EXIT_UNFINISHED;
	if (r->options->require_complete && (!analysis_complete(a) || a->unknown))
		return EXIT_UNFINISHED;
	return EXIT_CLEAN;
}

static void print_histories(const struct analysis *a)
{
	for (size_t i = 0; i < a->nhistory_lines; i++)
		puts(a->history_lines[i]);
}

static int write_outputs(const struct analysis *a, const struct report_options *options,
			 struct error *e)
{
	struct model m;
	int result;

	if (!outputs_wanted(options))
		return 0;
	result = model_init(&m, a, options->specification, e);
	if (result == 0)
		result = outputs_write(&m, options, e);
	model_free(&m);
	return result;
}

static unsigned race_options(const struct report_options *o)
{
	if (!o->races && !o->races_all)
		return 0;
	return RACES | (o->races_all ? RACES_UNCERTAIN : 0) |
	       (o->races_no_volatile ? RACES_NO_VOLATILE : 0);
}

static int report_run(struct run *run, const struct report_options *options, struct error *e)
{
	bool json_only = options->json && !strcmp(options->json, "-");
	struct suppressions *suppressions =
		options->suppressions ? suppressions_read(options->suppressions, e) : NULL;
	const struct analysis_options ao = {
		.check = options->check ? options->check : run->check,
		.specification = options->specification,
		.replay = options->replay && !options->histories,
		.prove = options->prove,
		.patient = options->patient,
		.sought = options->sought,
		.races = race_options(options),
		.suppressions = suppressions,
		.leaks = options->leaks,
		.smaller = options->smaller,
		.coverage = options->coverage || options->lcov,
		.jobs = options->jobs,
	};
	struct analysis a;
	struct report r = {
		.options = options,
		.a = &a,
		.directory = run->directory,
		.out = json_only ? stderr : stdout,
	};
	int result;

	if (options->suppressions && !suppressions)
		return -1;
	result = analysis_run(run, &ao, &a, e);
	r.style = text_style_for(r.out);
	if (result == 0 && options->histories)
		print_histories(&a);
	else if (result == 0)
		result = print_all(&r, e);
	if (result == 0 && !options->histories)
		result = write_outputs(&a, options, e);
	if (result == 0)
		result = exit_code(&r);
	if (r.replay_map)
		srcmap_close(r.replay_map);
	report_repairs_free(&r.shown);
	analysis_free(&a);
	suppressions_free(suppressions);
	return result;
}

int report_directory(const char *directory, const struct report_options *options)
{
	struct error e;
	struct run *run = run_open(directory, &e);
	int result;

	if (!run)
		return error_print(&e);
	result = report_run(run, options, &e);
	run_close(run);
	return result < 0 ? error_print(&e) : result;
}

/* SPDX-License-Identifier: MIT */
#include "report/summary.h"
#include "judge/advice.h"
#include "judge/limits.h"
#include "judge/self.h"
#include "judge/verdict.h"
#include "run/outcome.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void print_outcomes(FILE *out, const struct analysis *a)
{
	const char *separator = "";

	for (unsigned kind = 0; kind < LP_OUT_COUNT; kind++) {
		if (!a->outcomes[kind])
			continue;
		fprintf(out, "%s%" PRIu64 " %s", separator, a->outcomes[kind],
			outcome_name(kind));
		separator = ", ";
	}
	fputc('\n', out);
}

static void print_limits(FILE *out, const struct analysis *a)
{
	size_t n;
	char **limits = limits_of(a, &n);

	for (size_t i = 0; i < n; i++) {
		fprintf(out, "limit:    %s\n", limits[i]);
		free(limits[i]);
	}
	free(limits);
}

static void print_advice(FILE *out, const struct analysis *a)
{
	size_t n;
	char **advice = advice_of(a, &n);

	for (size_t i = 0; i < n; i++) {
		fprintf(out, "help:     %s\n", advice[i]);
		free(advice[i]);
	}
	free(advice);
}

/* No counterexample is no proof: other clients may show one. */
static void print_progress(FILE *out, const struct analysis *a)
{
	uint64_t found = a->outcomes[LP_OUT_NO_PROGRESS], classes = a->classes - found;

	if (!strcmp(a->run->progress, "none"))
		return;
	if (found)
		fprintf(out, "progress: not %s: %" PRIu64 " %s in %" PRIu64 " %s\n",
			a->run->progress, found,
			plural(found, "counterexample", "counterexamples"), classes,
			plural(classes, "class", "classes"));
	else
		fprintf(out, "progress: %s: no counterexample in the states of %" PRIu64 " %s\n",
			a->run->progress, classes, plural(classes, "class", "classes"));
}

/* What the verdict on guessed specifications rests on. */
static void print_checked(FILE *out, const struct analysis *a)
{
	const struct self *self = a->brief ? NULL : a->self;
	struct self_guess g;

	for (uint32_t i = 0; self && self_guess(self, i, &g); i++) {
		if (g.agreed)
			fprintf(out,
				"checked:  as a %s: proposed, agreed with %" PRIu64
				" sequential %s",
				g.specification, g.executions, plural(g.executions, "run", "runs"));
		else
			fprintf(out,
				"checked:  against its own sequential behaviour, %" PRIu64 " %s",
				self_executions(self),
				plural(self_executions(self), "run", "runs"));
		if (!g.agreed && !self_named(g.specification))
			fprintf(out, "; not as a %s, with which they do not agree",
				g.specification);
		fprintf(out, " (to say what it is: linchpin init -w %s)\n",
			*a->run->argv ? *a->run->argv : a->run->program);
	}
}

static void print_races(FILE *out, const struct analysis *a)
{
	size_t n = a->nraces;

	if (!a->races)
		return;
	fprintf(out, "races:    %zu %s of lines", n, plural(n, "pair", "pairs"));
	if (a->races_suppressed)
		fprintf(out, "; %" PRIu32 " suppressed", a->races_suppressed);
	if (a->races_left_out)
		fprintf(out, "; machine code does not tell whether %" PRIu32 " more are races "
			     "(--races-all names them; compiler hooks tell: linchpin cflags)",
			a->races_left_out);
	fputc('\n', out);
}

/* Ends with an error are not looked at, nor those of executions that map memory. */
static void print_leaks(FILE *out, const struct analysis *a)
{
	const uint64_t classes = classes_explored(a);

	if (!a->leaks)
		return;
	fprintf(out, "leaks:    at %zu %s", a->nleaks, plural(a->nleaks, "place", "places"));
	if (a->run->nlooks < classes)
		fprintf(out, "; only %" PRIu32 " of %" PRIu64 " %s could be looked at", a->run->nlooks, classes,
			plural(classes, "end", "ends"));
	fputc('\n', out);
}

void report_summary(FILE *out, const struct analysis *a)
{
	const struct lp_status *s = &a->run->status;
	char *bound = search_bound(a->run, a);
	uint64_t classes = classes_explored(a);

	fprintf(out, "explored: %" PRIu64 " %s in %.2f s", s->executions,
		plural(s->executions, "execution", "executions"), s->seconds);
	if (s->seconds >= 0.005)
		fprintf(out, " (%.0f a second)", (double)s->executions / s->seconds);
	if (a->run->stateful)
		fprintf(out, ", %" PRIu64 " %s", s->states, plural(s->states, "state", "states"));
	fprintf(out, ", %" PRIu64 " %s, %" PRIu64 " %s\n", classes,
		plural(classes, "class", "classes"), a->histories,
		plural(a->histories, "history", "histories"));
	fprintf(out, "bound:    %s\n", bound);
	print_limits(out, a);
	print_advice(out, a);
	print_progress(out, a);
	print_checked(out, a);
	print_races(out, a);
	print_leaks(out, a);
	fputs("ends:     ", out);
	print_outcomes(out, a);
	if (a->unknown)
		fprintf(out, "unknown:  %" PRIu64 " %s could not be checked\n", a->unknown,
			plural(a->unknown, "class", "classes"));
	if (a->nonlinearizable)
		fprintf(out,
			"result:   a history that is not allowed in %" PRIu64 " of %" PRIu64
			" %s\n",
			a->nonlinearizable, a->classes, plural(a->classes, "class", "classes"));
	else if (analysis_has_violation(a) && !analysis_ordered(a))
		fprintf(out, "result:   %s%s%s\n", a->nraces ? "data races" : "",
			a->nraces && a->nleaks ? ", " : "", a->nleaks ? "leaks" : "");
	else if (analysis_has_violation(a))
		fputs("result:   executions that end with an error\n", out);
	else
		fputs("result:   no violation\n", out);
	fprintf(out, "recorded: %s\n", a->run->directory);
	free(bound);
}

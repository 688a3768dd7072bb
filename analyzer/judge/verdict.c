/* SPDX-License-Identifier: MIT */
#include "judge/verdict.h"

#include "base/text_table.h"
#include "repair/ranges.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool search_complete(const struct lp_status *s)
{
	return s->end == LP_END_COMPLETE && !s->limits;
}

uint64_t classes_explored(const struct analysis *a)
{
	return a->classes + a->run->status.unkept;
}

static const char *why_ended(const struct lp_status *s)
{
	switch (s->end) {
	case LP_END_RUNNING:
		return "the program was killed or is still running";
	case LP_END_EXECUTIONS:
		return "the limit on executions was reached";
	case LP_END_TIME:
		return "the time limit was reached";
	case LP_END_INTERRUPTED:
		return "the search was interrupted";
	case LP_END_ERROR:
		return "the runtime gave up";
	case LP_END_FOUND:
		return "the search was to stop here (--stop-at)";
	case LP_END_FULL:
		return "there was no room for more of the trace (is the disk full?)";
	case LP_END_SHARD:
		return "this shard is finished (linchpin merge joins all)";
	case LP_END_JOINED:
		return "shards were joined, and what they have left was not explored (linchpin run --resume goes on)";
	case LP_END_CUT:
		return "the trace is shorter than the search has left it (was the file cut?)";
	case LP_END_REPLAYED:
		return "recorded schedules were executed again";
	default:
		return "the search ended";
	}
}

/* Every execution was cut: there is no end that anything could be said of. */
static char *nothing_known(const struct run *run)
{
	char *steps, *text;

	if (run->status.limits & ~LP_LIMIT_STEPS || !run->max_steps)
		return xstrdup("nothing is known; every execution was cut, see the limits below");
	steps = text_count(run->max_steps);
	text = xasprintf("nothing is known; every execution was cut after %s steps", steps);
	free(steps);
	return text;
}

/* What the number of classes of a complete search means, in brackets: other things are counted
 * elsewhere, or not all of the program is seen. */
static const char *remark(const struct analysis *a)
{
	char *unseen = unseen_code(a);
	bool seen = !unseen && !a->run->nnotes;

	free(unseen);
	if (a->run->status.redundant)
		return seen ? " (vain rounds left out)"
			    : " (vain rounds left out; only of what is seen, see the limits below)";
	return seen ? "" : " (only of what is seen, see the limits below)";
}

/* What one execution does from a state, another one would do as well; so it ended there. */
static char *stateful_bound(const struct run *run, const struct analysis *a)
{
	const char *what = !strcmp(run->check, "lin")	    ? "every history and every end"
			   : !strcmp(run->check, "outcome") ? "every result and every end"
							    : "every end";
	const struct lp_status *s = &run->status;
	uint64_t n = classes_explored(a);

	return xasprintf("%s of this client under sequential consistency is among these %" PRIu64 " %s, of %" PRIu64
			 " states; not each class is there: %" PRIu64 " %s ended in a state that was met before%s",
			 what, n, plural(n, "class", "classes"), s->states, s->merged,
			 plural(s->merged, "execution", "executions"), remark(a));
}

static char *complete_bound(const struct run *run, const struct analysis *a)
{
	uint64_t n = classes_explored(a);

	if (!analysis_complete(a))
		return xasprintf("%" PRIu64 " %s of this client within the limits below; there may "
				 "be more",
				 n, plural(n, "class", "classes"));
	if (run->status.woken)
		return xasprintf("every class of this client under sequential consistency is among "
				 "these %" PRIu64 ", some of which only have more vain rounds%s",
				 n, remark(a));
	if (run->observers || run->symmetric)
		return xasprintf("every result and every end of this client under sequential "
				 "consistency is among these %" PRIu64 " %s (%s%s%s)%s",
				 n, plural(n, "class", "classes"),
				 run->observers ? "writes that nobody sees are in no order" : "",
				 run->observers && run->symmetric ? "; " : "",
				 run->symmetric ? "threads that are alike may change places" : "", remark(a));
	if (run->stateful)
		return stateful_bound(run, a);
	if (n == 1)
		return xasprintf("the only class of this client under sequential consistency%s",
				 remark(a));
	return xasprintf("all %" PRIu64 " classes of this client under sequential consistency%s",
			 n, remark(a));
}

/* What one execution of a priority search finds at least: 1 of so many faults of this depth. */
static char *promise(const struct lp_status *s)
{
	double n = s->threads;
	char *text;

	if (!s->change_points || !s->counted_steps)
		return xstrdup("");
	for (uint32_t i = 0; i < s->change_points; i++)
		n *= (double)s->counted_steps;
	text = xasprintf("; each execution meets a fault of depth %u with probability 1/%.0f or "
			 "more (%u threads, %" PRIu64 " steps on shared memory)",
			 s->change_points + 1, n, s->threads, s->counted_steps);
	return text;
}

static char *bound_of_search(const struct run *run, const struct analysis *a)
{
	const struct lp_status *s = &run->status;
	uint64_t n = classes_explored(a);
	const char *classes = plural(n, "class", "classes");

	if (s->executions && s->cut == s->executions && !analysis_has_violation(a))
		return nothing_known(run);
	if (!s->executions && s->end == LP_END_SHARD)
		return xstrdup("nothing was left for this shard (linchpin merge joins all)");
	if (!s->executions && !a->classes)
		return xasprintf("%s before an execution came to its end: nothing is known",
				 why_ended(s));
	if (s->end == LP_END_COMPLETE)
		return complete_bound(run, a);
	if (s->estimate >= 0.0001 && s->end != LP_END_REPLAYED)
		return xasprintf("%s: %" PRIu64 " %s, about %.2g %% of the estimated search",
				 why_ended(s), n, classes, s->estimate * 100);
	if (s->estimate >= 0 && s->end != LP_END_REPLAYED)
		return xasprintf("%s: %" PRIu64 " %s, less than 0.01 %% of the estimated search",
				 why_ended(s), n, classes);
	if (s->uncounted)
		return xasprintf("%s: %" PRIu64 " %s or more, as many as can be told apart", why_ended(s), n, classes);
	return xasprintf("%s: %" PRIu64 " %s", why_ended(s), n, classes);
}

/* The blocks in force, as a text to free; NULL if there are none. */
static char *blocks_in_force(const struct run *run)
{
	char *path = xasprintf("%s/blocks", run->directory), **names, *text = NULL;
	uint32_t n;

	names = run->enforce ? blocks_named(path, &n) : NULL;
	free(path);
	for (uint32_t i = 0; names && i < n; i++) {
		char *longer = text ? xasprintf("%s, %s", text, names[i]) : xstrdup(names[i]);

		free(text);
		free(names[i]);
		text = longer;
	}
	free(names);
	return text;
}

/* The bound with another remark. */
static char *remarked(char *bound, const char *remark, const char *what)
{
	char *both = xasprintf("%s; %s%s", bound, remark, what);

	free(bound);
	return both;
}

/* Of a search that did not finish, and so took turns with another one. */
static char *turns(const struct lp_status *s)
{
	char *drawn, *all, *text;

	if (!s->drawn || s->end == LP_END_COMPLETE)
		return xstrdup("");
	drawn = text_count(s->drawn);
	all = text_count(s->executions);
	text = xasprintf("; %s of %s executions were drawn at random", drawn, all);
	free(drawn);
	free(all);
	return text;
}

/* Of a search bound by bound that did not finish: up to which it has come. */
static char *up_to(const struct run *run, const struct analysis *a)
{
	const struct lp_status *s = &run->status;
	bool delays = !strcmp(run->search, "delayed");

	if (!s->bounds || s->end == LP_END_COMPLETE || s->limits || a->unjudged)
		return xstrdup("");
	return xasprintf("; every class with at most %u %s is among them", s->bounds - 1,
			 delays ? plural(s->bounds - 1, "delay", "delays")
				: plural(s->bounds - 1, "preemption", "preemptions"));
}

static char *bound_of_all(const struct run *run, const struct analysis *a)
{
	char *bound = bound_of_search(run, a), *more, *both;

	more = run->status.bounds		? up_to(run, a)
	       : strcmp(run->search, "pct") ? turns(&run->status)
					      : promise(&run->status);
	both = xasprintf("%s%s", bound, more);
	free(bound);
	free(more);
	return both;
}

char *search_bound(const struct run *run, const struct analysis *a)
{
	char *bound = bound_of_all(run, a), *blocks = blocks_in_force(run);
	const char *memory = NULL;

	if (run->status.unkept) {
		char *alike = text_count(run->status.unkept);

		bound = remarked(bound, alike,
				 run->status.unjudged ? " of them are not recorded"
						      : " of them are like others, and are not recorded");
		free(alike);
	}
	if (!strcmp(run->malloc, "quarantine"))
		memory = "freed memory is not given out again";
	else if (!strcmp(run->malloc, "thread"))
		memory = "threads get again only memory that they have freed themselves";
	else if (run->status.reused)
		memory = "freed memory is given to any thread";
	if (memory)
		bound = remarked(bound, memory, "");
	if (blocks)
		bound = remarked(bound,
				 strcmp(run->enforce, "lock") != 0
					 ? "with these blocks in force: "
					 : "with a lock around these blocks: ",
				 blocks);
	free(blocks);
	return bound;
}

/* Functions of which no access is seen, by the file that the runtime leaves. */
struct uninstrumented {
	unsigned functions, skipped; /* skipped: of them, because that was asked for */
};

static struct uninstrumented uninstrumented_in(const char *directory)
{
	char *path = xasprintf("%s/uninstrumented", directory), *line = NULL;
	FILE *file = fopen(path, "r");
	struct uninstrumented u = { 0 };
	size_t size = 0;

	free(path);
	if (!file)
		return u;
	while (getline(&line, &size, file) > 0) {
		u.functions++;
		u.skipped += strstr(line, ": skipped on request") != NULL;
	}
	free(line);
	fclose(file);
	return u;
}

char *unseen_code(const struct analysis *a)
{
	struct uninstrumented u = uninstrumented_in(a->run->directory);

	if (!u.functions)
		return NULL;
	if (u.skipped == u.functions)
		return xasprintf("%u function%s skipped on request (--skip, LINCHPIN_SKIP)",
				 u.functions, plural(u.functions, " was", "s were"));
	return xasprintf("accesses in %u function%s are not seen, linchpin run -v says why",
			 u.functions, plural(u.functions, "", "s"));
}

char *vacuous(const struct analysis *a)
{
	const struct lp_status *s = &a->run->status;
	char *unseen, *text;

	if (!s->executions || s->end == LP_END_ERROR)
		return NULL;
	if (s->threads < 2)
		return xstrdup("vacuous test: the program created no thread, so there is only "
			       "one schedule; call the operations from two or more threads");
	if (s->shared || s->cut)
		return NULL; /* who knows what would have come after the cut */
	if (s->limits & (LP_LIMIT_UNSEEN_MEMORY | LP_LIMIT_UNSEEN_STATE))
		return NULL; /* a line has said what they share */
	unseen = unseen_code(a);
	if (!s->hooks)
		text = xasprintf(
			"vacuous test: no access to memory was seen%s%s. Only accesses by the "
			"executable and its own libraries are seen: not those that --instrument or "
			"LINCHPIN_INSTRUMENT excludes, not those that the compiler removed because "
			"their results are not used, and not those of system libraries",
			unseen ? "; " : "", unseen ? unseen : "");
	else
		text = xasprintf(
			"vacuous test: no two threads touched the same memory, so every schedule "
			"is the same%s%s. Let the threads work on one structure; and use what "
			"operations return, or compile with -O0, because a compiler removes what "
			"is not used",
			unseen ? "; " : "", unseen ? unseen : "");
	free(unseen);
	return text;
}

const char *unmarked(const struct analysis *a)
{
	if (a->operations || !strcmp(a->check, "none") || !a->classes)
		return NULL;
	return "no operation was seen, so only the ends of executions are checked; mark "
	       "operations with "
	       "linchpin_call(object, \"name\", ...) and linchpin_return(value) of linchpin.h, or "
	       "name them in a specification file (linchpin init), or give --check=none";
}

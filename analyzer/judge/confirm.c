/* SPDX-License-Identifier: MIT */
#include "judge/confirm.h"
#include "judge/judge.h"
#include "judge/leaks.h"
#include "judge/racing.h"
#include "run/history_line.h"
#include "run/process_id.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

char *end_line(const struct run *run, const struct outcome *o)
{
	const struct site *s = o->site < run->nsites ? &run->sites[o->site] : NULL;
	const char *message = o->message < run->nstrings ? run->strings[o->message] : "";

	/* Other ends may say an address; elsewhere it is another one. */
	return xasprintf("%u %" PRIu32 ":%" PRIx64 " %s", o->kind, s ? s->module : 0,
			 s && s->module != NONE ? s->pc : 0,
			 o->kind == LP_OUT_ASSERT ? message : "");
}

/* With --isolate=fork each execution was a child of that process, and all of them were made one after the other. */
static bool same_history(const struct run *run, const char *recorded, const char *executed)
{
	return same_but_for_process(recorded, executed, run->status.pid, run->status.process);
}

/* Does the execution show what the finding says? */
static bool shows(const struct analysis *a, struct judge *judge, const struct finding *f, struct trace *t)
{
	enum lin_verdict verdict;
	char *line, *end;
	bool same;

	if (f->outcome == LP_OUT_DATA_RACE && !f->is_history)
		return racing_find(judge->run, a->replay.map, a->races, f->end, t, false);
	if (f->leak)
		return leaks_show(judge->run, a->replay.map, f, t, false);
	line = history_line("", judge->run, t);
	end = end_line(judge->run, &t->outcome);
	same = same_history(judge->run, f->history, line) && !strcmp(end, f->end);
	free(line);
	free(end);
	if (!same || !f->is_history)
		return same;
	return judge_execution(judge, t, &verdict, NULL) == 0 && verdict == LIN_VIOLATION;
}

/* What was executed so is executed so again. Another order of the same steps is tried: it is not possible if
 * something had to do with their order that is no event, such as a timer. */
static char *to_execute(const char *schedule, bool as_recorded)
{
	return xasprintf("%s%s", as_recorded ? "" : "?", schedule);
}

/* Its steps were made; more may have come behind them. */
static bool followed(const struct analysis *a, const struct trace *t, const char *schedule)
{
	char *executed = trace_schedule(a->replay.run, t);
	size_t n = strcspn(schedule, "!");
	bool same = !strncmp(executed, schedule, n) &&
		    (!executed[n] || executed[n] == ' ' || schedule[n] == '!');

	free(executed);
	return same;
}

/* The shorter schedules come behind the others. */
static void compare_shorter(struct analysis *a, struct finding *findings, size_t n,
			    struct judge *judge, struct trace *t)
{
	uint64_t class = n;

	for (size_t i = 0; i < n; i++) {
		struct finding *f = &findings[i];

		if (!f->shorter)
			continue;
		class ++;
		if (run_load(a->replay.run, class, t, NULL) != 1 || !followed(a, t, f->shorter) ||
		    !shows(a, judge, f, t))
			continue;
		free(f->schedule);
		f->schedule = f->shorter;
		f->shorter = NULL;
		f->as_recorded = false;
		f->replayed = REPLAY_SAME;
		f->replay_class = class;
	}
}

static void compare_executions(struct analysis *a, struct finding *findings, size_t n,
			       struct judge *judge)
{
	struct trace t = { 0 };

	/* What leaks is only known behind a class. */
	while (a->nleaks && run_next(a->replay.run, &t, NULL) == 1)
		;
	for (size_t i = 0; i < n; i++) {
		struct finding *f = &findings[i];
		bool read;

		f->replay_class = i + 1; /* one for each schedule, in their order */
		read = run_load(a->replay.run, f->replay_class, &t, NULL) == 1;
		if (!read && a->replay.run->status.end != LP_END_REPLAYED)
			continue; /* it was ended before it came to this one */
		f->replayed = read && shows(a, judge, f, &t) ? REPLAY_SAME : REPLAY_DIFFERENT;
	}
	compare_shorter(a, findings, n, judge, &t);
	trace_free(&t);
}

void confirm_findings(struct analysis *a, struct finding *findings, size_t n,
		      const char *specification)
{
	char **schedules = xcalloc(2 * n, sizeof *schedules);
	size_t all = n;
	struct judge judge;

	for (size_t i = 0; i < n; i++) {
		schedules[i] = to_execute(findings[i].schedule, findings[i].as_recorded);
		if (findings[i].shorter)
			schedules[all++] = to_execute(findings[i].shorter, false);
	}
	if (replay_schedules(a->run, schedules, all, false, &a->replay, &a->replay_error) == 0) {
		if (analysis_ordered(a) < a->nfindings)
			a->replay.map = srcmap_open(a->replay.run, NULL);
		judge_init(&judge, a->replay.run, a->check, specification);
		if (a->self)
			judge_use_self(&judge, a->self);
		compare_executions(a, findings, n, &judge);
		judge_free(&judge);
	}
	for (size_t i = 0; i < all; i++)
		free(schedules[i]);
	free(schedules);
}

/* SPDX-License-Identifier: MIT */
#include "judge/judge.h"
#include "judge/self.h"

#include <stdlib.h>
#include <string.h>

void judge_init(struct judge *j, const struct run *run, const char *check,
		const char *specification)
{
	struct lin_class_options options = { 0 };

	*j = (struct judge){ .run = run, .outcome = !strcmp(check, "outcome") };
	j->lin.specification = specification;
	options.lin = j->lin;
	options.outcome = j->outcome;
	j->classes = lin_class_new(run, &options);
}

void judge_use_self(struct judge *j, struct self *self)
{
	j->self = self;
	lin_class_use_self(j->classes, self);
}

void judge_free(struct judge *j)
{
	if (j->classes)
		lin_class_free(j->classes);
	j->classes = NULL;
}

static int check_order(struct judge *j, const struct trace *t, const uint32_t *order, bool witness,
		       struct lin_result *result, struct error *e)
{
	struct lin_options options = j->lin;
	struct history h;
	int failed;

	lin_class_history(j->classes, t, order, &h);
	options.witness = witness;
	failed = lin_check(&h, &options, result, e);
	history_free(&h);
	return failed;
}

int judge_execution(struct judge *j, const struct trace *t, enum lin_verdict *verdict,
		    struct error *e)
{
	struct lin_class_result of_class;
	struct lin_result result = { 0 };

	if (j->outcome) {
		if (lin_class_check(j->classes, t, &of_class, e) < 0)
			return -1;
		*verdict = of_class.verdict;
		return 0;
	}
	if (check_order(j, t, NULL, false, &result, e) < 0)
		return -1;
	*verdict = result.verdict;
	/* What was not seen in sequential runs may be allowed if not all of them were seen. */
	if (result.verdict == LIN_VIOLATION && j->self && !self_complete(j->self))
		*verdict = LIN_UNKNOWN;
	lin_result_free(&result);
	return 0;
}

char *judge_why(struct judge *j, const struct trace *t, const uint32_t *order)
{
	struct lin_result result = { 0 };
	char *why = NULL;

	/* Without real-time order there is no history to point into. */
	if (j->outcome)
		return NULL;
	if (check_order(j, t, order, true, &result, NULL) == 0) {
		if (result.why)
			why = xstrdup(result.why);
		lin_result_free(&result);
	}
	return why;
}

char *judge_schedule(const struct judge *j, const struct trace *t, const uint32_t *order)
{
	struct trace ordered = *t;
	char *text;

	ordered.events = xcalloc(t->nevents, sizeof *ordered.events);
	for (uint32_t i = 0; i < t->nevents; i++)
		ordered.events[i] = t->events[order[i]];
	text = trace_schedule(j->run, &ordered);
	free(ordered.events);
	return text;
}

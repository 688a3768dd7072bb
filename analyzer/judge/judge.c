/* SPDX-License-Identifier: MIT */
#include "judge/judge.h"
#include "judge/lenient.h"
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

int judge_execution(struct judge *j, const struct trace *t, enum lin_verdict *verdict,
		    struct error *e)
{
	struct lin_class_result of_class;
	struct history h;
	int result;

	if (j->outcome) {
		if (lin_class_check(j->classes, t, &of_class, e) < 0)
			return -1;
		*verdict = of_class.verdict;
		return 0;
	}
	lin_class_history(j->classes, false, t, NULL, &h);
	result = lenient_check(&h, &j->lin, verdict, e);
	if (lin_class_unknown(j->classes))
		*verdict = LIN_UNKNOWN;
	history_free(&h);
	return result;
}

static char *why(struct judge *j, bool words, const struct trace *t, const uint32_t *order)
{
	struct lin_options options = j->lin;
	struct lin_result result = { 0 };
	struct history h;
	char *text = NULL;

	options.witness = true;
	lin_class_history(j->classes, words, t, order, &h);
	h.lenient = lenient_may_allow(&h);
	if (lin_check(&h, &options, &result, NULL) == 0) {
		if (result.why)
			text = xstrdup(result.why);
		lin_result_free(&result);
	}
	history_free(&h);
	return text;
}

char *judge_why(struct judge *j, const struct trace *t, const uint32_t *order)
{
	char *text;

	/* Without real-time order there is no history to point into. */
	if (j->outcome)
		return NULL;
	text = why(j, true, t, order);
	return text || !j->self ? text : why(j, false, t, order);
}

int judge_history(struct judge *j, const struct trace *t, struct history *h,
		  struct lin_result *result)
{
	struct lin_options options = j->lin;

	options.witness = options.linearization = true;
	options.seconds = 5;
	/* In the words of the API, unless that is no violation. */
	for (unsigned words = 2; words-- > 0;) {
		*result = (struct lin_result){ 0 };
		lin_class_history(j->classes, words, t, NULL, h);
		h->lenient = lenient_may_allow(h);
		if (lin_check(h, &options, result, NULL) == 0) {
			if (result->verdict == LIN_VIOLATION)
				return 0;
			lin_result_free(result);
		}
		history_free(h);
	}
	return -1;
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

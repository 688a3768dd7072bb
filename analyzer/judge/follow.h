/* SPDX-License-Identifier: MIT
 *
 * Judges the classes of a search while it goes on, from the run directory that grows. What is found
 * here is for the moment: the analysis at the end begins anew.
 */
#ifndef LINCHPIN_JUDGE_FOLLOW_H
#define LINCHPIN_JUDGE_FOLLOW_H

#include "judge/analysis.h"
#include "launch/progress.h"

struct follow_options {
	struct analysis_options analysis;
	uint64_t confirm; /* so many different violations are executed again */
	double delay;     /* but none before the search has taken so many seconds */
	/* Called for each that showed the same again. */
	void (*confirmed)(void *data, struct analysis *a, const struct finding *f);
	void *data;
};

/* Until the search has ended, or a signal asks to stop (base/budget.h), or the classes cannot
 * be judged. Keeps *judged up to date. */
void follow(const char *directory, const struct follow_options *options,
	    volatile struct judged *judged);

#endif

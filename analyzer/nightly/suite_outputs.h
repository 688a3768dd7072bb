/* SPDX-License-Identifier: MIT
 *
 * A night for other tools: JUnit, SARIF with its baseline, remarks of GitHub.
 */
#ifndef LINCHPIN_NIGHTLY_SUITE_OUTPUTS_H
#define LINCHPIN_NIGHTLY_SUITE_OUTPUTS_H

#include "nightly/compare.h"

struct suite_outputs {
	const struct night *night;
	const struct record *records; /* those that `have` says are there */
	const bool *have;
	uint32_t n;
	const struct remarks *remarks;
};

/* A test is a case; what is new is a failure, what could not be explored an error. */
int suite_junit(const struct suite_outputs *o, const char *file, struct error *e);
/* Findings with the baselineState new, unchanged or absent. */
int suite_sarif(const struct suite_outputs *o, const char *file, struct error *e);
/* What is new as remarks beside the source, in a job of GitHub; otherwise nothing. */
void suite_annotations(const struct suite_outputs *o);

#endif

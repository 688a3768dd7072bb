/* SPDX-License-Identifier: MIT
 *
 * The tests of a suite, several at once, each in a process of its own.
 */
#ifndef LINCHPIN_COMMAND_SUITE_JOBS_H
#define LINCHPIN_COMMAND_SUITE_JOBS_H

#include "nightly/store.h"
#include "nightly/suite.h"

struct suite_jobs {
	const struct suite_test **tests;
	uint32_t n;
	unsigned jobs;
	const char *directory; /* for files that are not kept */
	/* A test is done: 0, or -1 to begin no more. */
	int (*done)(const struct suite_test *t, struct record *r, void *data);
	void *data;
};

/* Explores all of them; true if all were. A signal (base/budget.h) ends those that run, and nothing is
 * said of them. */
bool suite_jobs_run(const struct suite_jobs *j);

/* The command that explores a test, for people. Free it. */
char *suite_command(const struct suite_test *t);

#endif

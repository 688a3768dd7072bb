/* SPDX-License-Identifier: MIT
 *
 * Opening the run directory that a test has written. If it cannot be read the test fails.
 */
#ifndef OPEN_RUN_H
#define OPEN_RUN_H

#include "run_writer.h"
#include "run/trace.h"

static inline struct run *open_run(const struct writer *w)
{
	struct error e = { "" };
	struct run *run = run_open(w->directory, &e);

	if (!run)
		fail_msg("%s", e.message);
	return run;
}

/* The next class, which is there. */
static inline void next_class(struct run *run, struct trace *t)
{
	struct error e = { "" };

	if (run_next(run, t, &e) != 1)
		fail_msg("%s", e.message);
}

#endif

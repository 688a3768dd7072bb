/* SPDX-License-Identifier: MIT
 *
 * A job: a part of a search that a process explores. Jobs have numbers, in the order in which they are
 * given out; what they hand back is put together in that order.
 */
#ifndef LINCHPIN_PARTS_JOB_H
#define LINCHPIN_PARTS_JOB_H

#include "parts/tree.h"

#include <sys/types.h>

#define JOBS 64u /* given out at a time */

/* Of random executions, which have numbers. */
struct range {
	uint64_t first, n;
};

enum job_state { JOB_WAITING, JOB_RUNS, JOB_DONE, JOB_FAILED };

struct job {
	uint64_t number;
	uint64_t budget; /* executions */
	struct branch **units;
	uint32_t nunits;
	bool draws, livelocks; /* livelocks: only records those that are left */
	struct range range; /* of random ones; the budget may be for its beginning only */
	char *directory; /* of the latest attempt */
	enum job_state state;
	pid_t pid;
	unsigned attempts;
};

/* Those that were given out and are not put together yet. */
struct jobs {
	struct job list[JOBS];
	uint32_t n;
};

#endif

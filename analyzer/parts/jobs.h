/* SPDX-License-Identifier: MIT
 *
 * Processes explore the jobs that were given out, several at a time. A job that was killed is begun
 * again; one that has handed back what is left (RUNDIR/parts/NAME/left) is done for ever.
 */
#ifndef LINCHPIN_PARTS_JOBS_H
#define LINCHPIN_PARTS_JOBS_H

#include "launch/launch.h"
#include "parts/frontier.h"

struct job_setting {
	const struct launch *launch; /* of the whole search */
	struct frontier *frontier;
	uint64_t workers;
	sigset_t mask; /* of signals, in the programs */
	int lock;      /* see struct parts */
};

/* Before the search goes on: removes what is there of jobs that were put together, or did not come to their
 * end. Others are done if they are given out again. */
void jobs_begin(const struct job_setting *s);

/* Has this one been done before the search was killed? Then it is JOB_DONE. */
void jobs_find(struct job *job, const struct job_setting *s);

/* Starts as many as there are workers; true if none runs, and none is to be started. stop: starts no more. */
bool jobs_run(const struct job_setting *s, bool stop, struct error *e);

/* Sends a signal to all that run. */
void jobs_signal(const struct job_setting *s, int signal, int value);

/* Removes what the jobs have left that were put together; what is in the frontier must be on the disk. */
void jobs_remove_joined(const struct job_setting *s);

#endif

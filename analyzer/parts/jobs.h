/* SPDX-License-Identifier: MIT
 *
 * Jobs: parts of a search that processes explore, several at a time. A job that was killed is begun
 * again; one that has handed back what is left (RUNDIR/parts/NAME/left) is done for ever.
 */
#ifndef LINCHPIN_PARTS_JOBS_H
#define LINCHPIN_PARTS_JOBS_H

#include "launch/launch.h"
#include "parts/frontier.h"

enum job_state { JOB_WAITING, JOB_RUNS, JOB_DONE, JOB_FAILED };

struct job {
	struct branch **units;
	uint32_t nunits;
	bool draws, livelocks; /* livelocks: only records those that are left */
	uint64_t budget; /* executions */
	struct range range; /* of random ones; the budget may be for its beginning only */
	uint64_t drawn; /* of them */
	char *directory; /* of the latest attempt */
	enum job_state state;
	pid_t pid;
	unsigned attempts;
};

struct jobs {
	struct job *list;
	uint32_t n;
};

struct job_setting {
	const struct launch *launch; /* of the whole search */
	const struct frontier *frontier;
	uint64_t workers;
	sigset_t mask; /* of signals, in the programs */
	int lock;      /* see struct parts */
};

/* Those of the present round, of which some may have been done before the search was killed. */
void jobs_find_done(struct jobs *j, const struct job_setting *s);

/* Starts as many as there are workers; true if all are over. stop: starts no more. */
bool jobs_run(struct jobs *j, const struct job_setting *s, bool stop, struct error *e);

/* Sends a signal to all that run. */
void jobs_signal(const struct jobs *j, int signal, int value);

/* Removes the list, and what they have left unless it is kept. */
void jobs_forget(struct jobs *j, bool keep);

#endif

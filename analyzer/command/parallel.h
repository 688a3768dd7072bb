/* SPDX-License-Identifier: MIT
 *
 * What `run` and `merge` have in common where a search is explored in parts.
 */
#ifndef LINCHPIN_COMMAND_PARALLEL_H
#define LINCHPIN_COMMAND_PARALLEL_H

#include "launch/launch.h"
#include "parts/frontier.h"
#include "run/trace.h"

struct parallel {
	uint64_t jobs; /* workers; UINT64_MAX: it was not said */
	const char *resume, *shard;
	uint64_t number, of; /* the shard */
	struct run *run;     /* what is resumed */
	char *settings;      /* its text */
	struct frontier frontier;
	int lock; /* of the run directory; -1 */
	bool on;             /* in parts */
};
#define PARALLEL_NONE ((struct parallel){ .jobs = UINT64_MAX, .lock = -1 })

/* Checks the options. -1 and *e. */
int parallel_check(struct parallel *p, const struct settings *s, bool blocks, bool program,
		   struct error *e);

/* Reads what a search that goes on was begun with, into *s but for its bounds, and how far it has come; the
 * launch gets the program. -1 and *e. */
int parallel_open(struct parallel *p, const char *directory, struct settings *s, struct error *e);
void parallel_launch(const struct parallel *p, struct launch *l);

/* Explores as launch says: a new search, or the one of the directory. -1 and *e. */
int parallel_explore(struct parallel *p, const struct launch *l, struct error *e);

/* As many as -j says, or as there are processors for 0; and those of this command. */
uint64_t parallel_processes(uint64_t jobs);
uint64_t parallel_workers(const struct parallel *p);

void parallel_free(struct parallel *p);

#endif

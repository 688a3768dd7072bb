/* SPDX-License-Identifier: MIT
 *
 * How far a search in parts has come: RUNDIR/frontier, which is written anew now and then and replaces
 * the one before at once, so that a search that was killed can go on. RUNDIR/run says what is
 * explored, and is there once the first part has come to its end; before, nothing is lost but that part.
 */
#ifndef LINCHPIN_PARTS_FRONTIER_H
#define LINCHPIN_PARTS_FRONTIER_H

#include "base/digest.h"
#include "format/run_dir.h"
#include "parts/job.h"
#include "parts/livelocks.h"

struct ranges {
	struct range *list;
	uint32_t n, capacity;
};

struct frontier {
	uint64_t joined; /* jobs that were put together */
	struct jobs jobs; /* those with the next numbers */
	uint64_t shard, shards; /* 0: all */
	bool shared;		/* the units were divided among shards */
	uint64_t drawn;		/* ranges of the random search that were begun ... */
	struct ranges left;	/* ... and what was not drawn of these */
	/* What the search has learned, which every part has to know from its beginning: lp_status.reused,
	 * and RUNDIR/steering of who has learned it; NULL: nothing. */
	uint64_t reused;
	char *steering;
	char *keep; /* LINCHPIN_KEEP */
	bool leaks; /* LINCHPIN_LEAKS */
	char inputs[DIGEST_SIZE]; /* what the program could read when the search began: inputs_digest() */
	struct lp_status status;
	struct livelocks livelocks;
	struct branch *root; /* what is left of the exhaustive search; NULL: there is none */
};

/* -1 and *e. */
int frontier_write(const char *directory, const struct frontier *f, struct error *e);
int frontier_read(const char *directory, struct frontier *f, struct error *e);
void frontier_free(struct frontier *f);

/* The file does not have times; RUNDIR/status does. */
void frontier_times(struct frontier *f, const struct lp_status *s);

/* No job was given out: what they had is left. */
void frontier_take_back(struct frontier *f);
/* One of them is in the list no more, whatever became of what it had. */
void frontier_forget(struct frontier *f, uint32_t job);

/* These are left to be drawn. */
void frontier_left(struct frontier *f, uint64_t first, uint64_t n);

/* Of the files that the program is given: its standard input (NULL: it is no file), and those among its
 * arguments, which are relative to a directory (NULL: the present one). */
void inputs_digest(char *const *argv, const char *directory, const char *input, char text[DIGEST_SIZE]);

/* RUNDIR/status. */
int frontier_show(const char *directory, const struct lp_status *s, struct error *e);

#endif

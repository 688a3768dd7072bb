/* SPDX-License-Identifier: MIT
 *
 * Executes schedules of a recorded run again, into a run directory of their own that lives as long
 * as it is needed.
 */
#ifndef LINCHPIN_JUDGE_REPLAY_H
#define LINCHPIN_JUDGE_REPLAY_H

#include "run/trace.h"
#include "source/map.h"

struct replay {
	struct run *run;    /* what was executed: a class for each schedule */
	struct srcmap *map; /* of the run; NULL: nobody needed it */
	bool leaks;         /* given: look for them */
	char *directory;
};

/* Executes the program of `original` with each of the schedules (see format/run_dir.h), with the
 * settings that the run was made with. show_output: the program's standard streams are this
 * process's. 0 and *r, to be ended with replay_end; or -1 and *e if the program cannot be run any
 * more. */
int replay_schedules(const struct run *original, char *const *schedules, size_t n, bool show_output,
		     struct replay *r, struct error *e);

/* The same of one schedule by a debugger (see struct launch), which may take its time and finds what the
 * caller has written to the file `session` of the new directory. *r has no run afterwards. */
int replay_debug(const struct run *original, char *schedule, char *const *debugger,
		 int (*write_session)(const char *path, void *data, struct error *e), void *data,
		 struct replay *r, struct error *e);

/* Frees everything and removes the directory. */
void replay_end(struct replay *r);

#endif

/* SPDX-License-Identifier: MIT
 *
 * launch/ checks the program under test, starts it and shows its progress. It includes base/, run/,
 * source/ and format/.
 *
 * Starts the program under test with the runtime loaded into it and waits for its end.
 */
#ifndef LINCHPIN_LAUNCH_LAUNCH_H
#define LINCHPIN_LAUNCH_LAUNCH_H

#include "base/util.h"
#include "launch/progress.h"

#include <sys/types.h>

/* What of an exploration can be chosen; the same names as the LINCHPIN_ variables of
 * format/run_dir.h. */
struct settings {
	const char *search, *check, *progress, *isolate, *malloc;
	const char *equivalence;
	bool spurious;
	bool audit;    /* of a stateful search; not of replays */
	bool leaks;    /* look for them everywhere */
	bool coverage; /* note which instructions run; not of replays */
	const char *enforce; /* what blocks in force mean, if there are some: launch.blocks */
	const char *keep;    /* which classes are recorded: LINCHPIN_KEEP */
	const char *instrument, *skip; /* NULL: what the environment says */
	uint64_t seed, max_executions, max_steps, stop_at;
	double max_time; /* seconds */
};

extern const struct settings settings_default;

bool settings_stateful(const struct settings *s); /* its search is */

struct launch {
	const char *program;   /* path, found and checked */
	char *const *argv;     /* NULL-terminated; argv[0] is the program's */
	const char *cwd;       /* where it runs; NULL: here */
	const char *input;     /* its standard input; NULL: ours */
	const char *directory; /* the run directory, absolute */
	const char *ops; /* of a specification file, for LINCHPIN_OPS; not used if it is absent */
	const char *blocks;   /* a file for LINCHPIN_BLOCKS; not used if it is absent */
	const char *part;     /* a file for LINCHPIN_PART; NULL: the whole search */
	const char *steering; /* RUNDIR/steering of the search that is replayed, or NULL */
	uint64_t reused;      /* of the run whose schedules are replayed; see LINCHPIN_REUSED */
	const char *replay;   /* file of schedules, absolute; NULL: a search */
	/* A debugger's command, NULL-terminated, executed in place of the program: it finds what is to be
	 * preloaded into the program in LINCHPIN_PRELOAD. NULL: none */
	char *const *debugger;
	const struct settings *settings;
	bool search; /* signals end it; what is not a search ends when the budget is over */
	bool quiet;  /* the runtime says nothing but errors */
	bool no_output; /* the program prints to /dev/null, but for errors; so is standard input without `input` */
	bool stdout_to_stderr; /* standard output is kept free of the program's */
	bool progress;         /* show progress on standard error */
	const char *what;      /* what the progress is of, a word; NULL: the search */
	const volatile struct judged *judged; /* see struct progress; NULL: nobody judges */
};

/* The path of libsched.so: $LINCHPIN_RUNTIME, or beside this command, or in ../lib of it. To free;
 * NULL and *e. */
char *runtime_find(struct error *e);

/* A file that belongs to this command's installation: the first of DIR/NAME that exists, where DIR
 * is the command's own directory followed by each of the NULL-terminated suffixes ("", "/../lib").
 * To free; NULL if there is none. */
char *installed_find(const char *const *suffixes, const char *name);

/* Runs the program to its end. 0 and the wait status; -1 and *e if it could not be started. Signals that
 * ask to stop (base/budget.h) end the exploration, not this process. */
int launch_run(const struct launch *l, int *status, struct error *e);

/* What a run directory says about the settings it was made with. Words of *s point into *text (free
 * it after the last use of *s). -1 and *e if the file cannot be read. */
int settings_read(const char *directory, struct settings *s, char **text, struct error *e);

#endif

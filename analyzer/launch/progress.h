/* SPDX-License-Identifier: MIT
 *
 * Waits for an exploration, and shows on standard error how far it is, from the status that the
 * runtime keeps up to date in the run directory.
 */
#ifndef LINCHPIN_LAUNCH_PROGRESS_H
#define LINCHPIN_LAUNCH_PROGRESS_H

#include "base/util.h"
#include "format/run_dir.h"

#include <signal.h>
#include <sys/types.h>

/* The signals that progress_wait takes; block them before the child is started. */
void progress_signals(sigset_t *set);

/* How far somebody is who judges the classes while they are found; he keeps it up to date. */
struct judged {
	uint64_t classes;   /* judged so far */
	uint64_t wrong;     /* of them */
	uint64_t confirmed; /* different violations that were executed again with the same result */
	uint64_t last;      /* the class of the last of them; 0: none */
};

struct progress {
	const char *directory; /* the run directory */
	const char *what;      /* a word before the numbers, or NULL */
	bool show;             /* a line on standard error */
	bool search;           /* signals end it; what is not a search ends when the budget is over */
	const volatile struct judged *judged; /* NULL: nobody judges */
	uint64_t stop_at; /* end the search when so many are confirmed; 0: never */
};

/* Waits for the child `pid`. A signal that asks this process to stop is passed on to a search, and ends
 * the budget otherwise; at the end of the budget the child is asked to end. 0 and the wait status, or
 * -1 and *e. */
int progress_wait(pid_t pid, const struct progress *p, int *status, struct error *e);

/* Shows the line of a search, as progress_wait does. */
void progress_draw(const struct progress *p, const struct lp_status *s);
void progress_clear(void);

/* From now on no line is shown, whoever asks for it. */
void progress_silent(void);

/* One line of progress, without its newline. `judged` may be NULL. */
void progress_line(const struct lp_status *s, const struct judged *judged, char *line, size_t size);

/* Reads RUNDIR/status as it is now; -1 and *e when it is missing or not one. */
int status_read(const char *directory, struct lp_status *s, struct error *e);

#endif

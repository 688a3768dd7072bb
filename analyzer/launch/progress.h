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

/* Waits for the child `pid`. A signal that asks this process to stop is passed on to a search, and ends
 * the budget otherwise; at the end of the budget the child is asked to end. 0 and the wait status, or
 * -1 and *e. */
int progress_wait(pid_t pid, const char *directory, bool show, bool search, int *status, struct error *e);

/* One line of progress, without its newline. */
void progress_line(const struct lp_status *s, char *line, size_t size);

/* Reads RUNDIR/status as it is now; -1 and *e when it is missing or not one. */
int status_read(const char *directory, struct lp_status *s, struct error *e);

#endif

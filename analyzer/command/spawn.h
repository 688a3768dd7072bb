/* SPDX-License-Identifier: MIT
 *
 * Other programs, started and waited for.
 */
#ifndef LINCHPIN_COMMAND_SPAWN_H
#define LINCHPIN_COMMAND_SPAWN_H

#include <stdbool.h>
#include <sys/types.h>

enum spawn_output {
	SPAWN_ERRORS,   /* standard output goes where messages go */
	SPAWN_MESSAGES, /* standard output goes nowhere */
	SPAWN_SILENT,   /* both go nowhere */
	SPAWN_ALL,      /* as they are */
};

/* Starts it in that directory (NULL: the present one) with a file as standard input (NULL: ours); -1 if
 * that is not possible. */
pid_t spawn_start(const char *file, char *const *argv, const char *directory, const char *input,
		  enum spawn_output output);
/* The same, in the present directory and without input, its messages into a file; it does not outlive this
 * process. */
pid_t spawn_logged(const char *file, char *const *argv, const char *log);
/* Its exit status, or 128 and the signal that ended it. */
int spawn_status(int status);
/* What it prints to standard output, without the last newline, if it ends with the status 0; else NULL. Its
 * messages go nowhere. Free it. */
char *spawn_text(const char *file, char *const *argv);
/* Runs it to its end; its status, or -1. */
int spawn_run(const char *file, char *const *argv, const char *directory, const char *input,
	      enum spawn_output output);

#endif

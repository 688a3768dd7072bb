/* SPDX-License-Identifier: MIT
 *
 * command/ is the command line; nobody includes it. It includes base/, format/, run/, launch/,
 * spec/, lin/, lin/picture/, judge/, fix/, client/,
 * nightly/ and report/.
 *
 * The subcommands of linchpin. Each gets its own name as argv[0] and its arguments after it, prints
 * to standard output (messages to standard error), and returns an exit code (enum exit_code).
 */
#ifndef LINCHPIN_COMMAND_COMMANDS_H
#define LINCHPIN_COMMAND_COMMANDS_H

int cmd_run(int argc, char **argv);
int cmd_merge(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_replay(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_fix(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_init(int argc, char **argv);
int cmd_generate(int argc, char **argv);
int cmd_stress(int argc, char **argv);
int cmd_suite(int argc, char **argv);
int cmd_history(int argc, char **argv);
int cmd_bisect(int argc, char **argv);
int cmd_ops(int argc, char **argv);
int cmd_cflags(int argc, char **argv);
int cmd_libs(int argc, char **argv);
int cmd_completion(int argc, char **argv);

struct command {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *summary; /* NULL: not for people */
};

/* All subcommands; ends with a NULL name. */
extern const struct command commands[];

/* `linchpin --version`. */
void version_print(void);

#endif

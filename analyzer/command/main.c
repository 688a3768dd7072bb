/* SPDX-License-Identifier: MIT
 *
 * The `linchpin` command: finds the subcommand and calls it.
 */
#include "base/util.h"
#include "command/commands.h"

#include <string.h>

static const struct command {
	const char *name;
	int (*main)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "run", cmd_run, "explore a program's schedules, check them, report" },
	{ "report", cmd_report, "report on a run directory again" },
	{ "replay", cmd_replay, "execute one recorded schedule of a run directory again" },
	{ "trace", cmd_trace, "print one recorded execution" },
	{ "check", cmd_check, "check recorded histories against a specification" },
	{ "init", cmd_init, "propose which functions of a program are operations" },
	{ "ops", cmd_ops, NULL }, /* for the runtime */
	{ "cflags", cmd_cflags, "print the flags to compile a program under test with" },
	{ "libs", cmd_libs, "print the flags to link it with" },
};

#define NCOMMANDS (sizeof commands / sizeof *commands)

static void usage(FILE *to)
{
	fputs("Usage: linchpin COMMAND [OPTION...] ...\n\n"
	      "Finds the schedules that break a concurrent data structure, and the lines that must "
	      "be atomic.\n\n"
	      "Commands:\n",
	      to);
	for (size_t i = 0; i < NCOMMANDS; i++)
		if (commands[i].summary)
			fprintf(to, "  %-8s  %s\n", commands[i].name, commands[i].summary);
	fputs("\n"
	      "  linchpin run -- ./my_test ARGS     explore ./my_test; `linchpin COMMAND --help` "
	      "lists options\n"
	      "  LD_PRELOAD=libsched.so ./my_test   the same with defaults\n\n"
	      "Exit codes: 0 nothing found within the stated bound, 1 a violation, 2 misuse or "
	      "set-up error,\n"
	      "3 the search was not finished and --require-complete was given.\n\n"
	      "Built-in specifications (linchpin_object in linchpin.h): set, map, stack, queue, "
	      "register, counter;\n"
	      "docs/operations.md lists their operations.\n",
	      to);
}

int main(int argc, char **argv)
{
	const char *name = argc > 1 ? argv[1] : NULL;

	if (!name) {
		usage(stderr);
		return EXIT_MISUSE;
	}
	if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help")) {
		usage(stdout);
		return EXIT_CLEAN;
	}
	if (!strcmp(name, "--version")) {
		printf("linchpin %s\n", LINCHPIN_VERSION);
		return EXIT_CLEAN;
	}
	for (size_t i = 0; i < NCOMMANDS; i++) {
		if (!strcmp(name, commands[i].name))
			return commands[i].main(argc - 1, argv + 1);
	}
	fprintf(stderr, "linchpin: there is no command `%s`; `linchpin --help` lists them\n", name);
	return EXIT_MISUSE;
}

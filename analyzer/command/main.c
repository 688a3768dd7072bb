/* SPDX-License-Identifier: MIT
 *
 * The `linchpin` command: finds the subcommand and calls it.
 */
#include "base/util.h"
#include "command/commands.h"

#include <string.h>

static void usage(FILE *to)
{
	fputs("Usage: linchpin COMMAND [OPTION...] ...\n\n"
	      "Finds the schedules that break a concurrent data structure, and the lines that must "
	      "be atomic.\n\n"
	      "Commands:\n",
	      to);
	for (const struct command *c = commands; c->name; c++)
		if (c->summary)
			fprintf(to, "  %-10s  %s\n", c->name, c->summary);
	fputs("\n"
	      "  linchpin run -- ./my_test ARGS     explore ./my_test; `linchpin COMMAND --help` "
	      "lists options\n"
	      "  LD_PRELOAD=libsched.so ./my_test   the same with defaults\n\n"
	      "Exit codes: 0 nothing found within the stated bound, 1 a violation, 2 misuse or "
	      "set-up error,\n"
	      "3 a signal ended the search, or it was not finished with --require-complete.\n\n"
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
		version_print();
		return EXIT_CLEAN;
	}
	for (const struct command *c = commands; c->name; c++) {
		if (!strcmp(name, c->name))
			return c->main(argc - 1, argv + 1);
	}
	fprintf(stderr, "linchpin: there is no command `%s`; `linchpin --help` lists them\n", name);
	return EXIT_MISUSE;
}

/* SPDX-License-Identifier: MIT
 *
 * `linchpin cflags` and `linchpin libs`: how to build a program under test. The hooks come with
 * -fsanitize=thread at compile time only; at link time it would bring in the sanitizer's own
 * runtime.
 */
#include "command/commands.h"
#include "command/options.h"
#include "launch/launch.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>

/* The directory that holds an installed file, to free; NULL and a message. */
static char *directory_of(const char *const *suffixes, const char *name)
{
	char *path = installed_find(suffixes, name);
	char *directory;
	struct error e;

	if (!path) {
		error_set(&e,
			  "%s was not found near this command; is linchpin installed completely?",
			  name);
		error_print(&e);
		return NULL;
	}
	directory = xstrdup(dirname(path));
	free(path);
	return directory;
}

/* "clang-14", "/usr/bin/clang", "ccache clang++": does the compiler's name say clang? */
static bool is_clang(const char *compiler)
{
	return compiler && strstr(compiler, "clang") != NULL;
}

int cmd_cflags(int argc, char **argv)
{
	static const char *const suffixes[] = { "/include", "/../include", NULL };
	const char *compiler = getenv("CC");
	bool clang = false;
	const struct option_row rows[] = {
		{ "cc", 0, OPTION_TEXT, "COMPILER", &compiler,
		  "the compiler that the flags are for; default: $CC, or gcc" },
		{ "clang", 0, OPTION_FLAG, NULL, &clang, "the compiler is clang" },
	};
	const struct option_table table = {
		.usage = "cflags [OPTION...]",
		.about = "Prints the flags to compile a program under test with:\n"
			 "cc $(linchpin cflags) -c test.c",
		.rows = rows,
		.nrows = sizeof rows / sizeof *rows,
	};
	int first;
	enum options_end end = options_parse(&table, argc, argv, &first);
	char *include;

	if (end != OPTIONS_OK)
		return end == OPTIONS_HELP ? EXIT_CLEAN : EXIT_MISUSE;
	include = directory_of(suffixes, "linchpin.h");
	if (!include)
		return EXIT_MISUSE;
	printf("-g -fsanitize=thread %s -I%s\n",
	       clang || is_clang(compiler) ? "-mllvm -tsan-instrument-read-before-write=1"
					   : "--param tsan-distinguish-volatile=1",
	       include);
	free(include);
	return EXIT_CLEAN;
}

int cmd_libs(int argc, char **argv)
{
	static const char *const suffixes[] = { "", "/../lib", NULL };
	const struct option_table table = {
		.usage = "libs",
		.about = "Prints the flags to link a program under test with:\n"
			 "cc -o test test.o $(linchpin libs)\n"
			 "Do not link with -fsanitize=thread: that brings in another runtime.",
	};
	int first;
	enum options_end end = options_parse(&table, argc, argv, &first);
	char *lib;

	if (end != OPTIONS_OK)
		return end == OPTIONS_HELP ? EXIT_CLEAN : EXIT_MISUSE;
	lib = directory_of(suffixes, "liblinchpin.so");
	if (!lib)
		return EXIT_MISUSE;
	printf("-L%s -llinchpin -Wl,-rpath,%s -pthread\n", lib, lib);
	free(lib);
	return EXIT_CLEAN;
}

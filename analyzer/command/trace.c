/* SPDX-License-Identifier: MIT
 *
 * `linchpin trace`: print one recorded execution.
 */
#include "command/commands.h"
#include "command/options.h"
#include "report/trace.h"
#include "run/canonical.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int write_raw(const struct run *run, const struct trace *t, struct error *e)
{
	size_t size;
	unsigned char *bytes = trace_canonical(run, t, &size);
	bool failed = fwrite(bytes, 1, size, stdout) != size || fflush(stdout) != 0;

	free(bytes);
	return failed ? error_set(e, "standard output: %s", strerror(errno)) : 0;
}

static int write_text(const struct run *run, const struct trace *t, struct error *e)
{
	struct srcmap *map = srcmap_open(run, e);
	struct text_style style = text_style_for(stdout);

	if (!map)
		return -1;
	trace_text_dump(stdout, &style, map, run, t);
	fflush(stdout);
	srcmap_warnings(map, stderr);
	srcmap_close(map);
	return 0;
}

static int print_class(const char *directory, uint64_t number, bool raw, struct error *e)
{
	struct run *run = run_open(directory, e);
	struct trace t = { 0 };
	int result;

	if (!run)
		return -1;
	result = run_load(run, number, &t, e);
	if (result == 0)
		result = error_set(e, "%s has no class %" PRIu64, directory, number);
	else if (result > 0)
		result = raw ? write_raw(run, &t, e) : write_text(run, &t, e);
	trace_free(&t);
	run_close(run);
	return result;
}

int cmd_trace(int argc, char **argv)
{
	bool raw = false;
	const struct option_row rows[] = {
		{ "raw", 0, OPTION_FLAG, NULL, &raw,
		  "write bytes that depend on nothing but the execution" },
	};
	const struct option_table table = {
		.usage = "trace [--raw] DIR N",
		.about = "Prints the execution that stands for the N-th class of the run directory "
			 "DIR.",
		.rows = rows,
		.nrows = sizeof rows / sizeof *rows,
		.least = 2,
		.most = 2,
	};
	struct error e;
	uint64_t number;
	int first;
	enum options_end end = options_parse(&table, argc, argv, &first);

	if (end != OPTIONS_OK)
		return end == OPTIONS_HELP ? EXIT_CLEAN : EXIT_MISUSE;
	if (parse_number(argv[first + 1], "the number of a class", &number, &e) < 0 ||
	    print_class(argv[first], number, raw, &e) < 0)
		return error_print(&e);
	return EXIT_CLEAN;
}

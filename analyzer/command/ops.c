/* SPDX-License-Identifier: MIT
 *
 * `linchpin ops PROGRAM FILE`: what a preloaded run asks before it explores. Finds the
 * specification as `run` does and writes what the runtime reads, into the run directory; nothing if
 * there is none. If that fails there is no run, and its directory is removed.
 */
#include "command/commands.h"
#include "launch/program.h"
#include "run/files.h"
#include "spec/choose.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void remove_run(const char *ops)
{
	const char *slash = strrchr(ops, '/');
	char *directory = slash ? xstrndup(ops, (size_t)(slash - ops)) : xstrdup(".");

	run_files_remove(directory);
	rmdir(directory); /* unless it holds something else */
	free(directory);
}

int cmd_ops(int argc, char **argv)
{
	struct spec_choice choice;
	struct error e;
	const char *quiet_text = getenv("LINCHPIN_QUIET"), *check = getenv("LINCHPIN_CHECK");
	char *text = NULL;
	bool quiet;
	int result;

	if (argc != 3)
		return EXIT_MISUSE;
	quiet = quiet_text && !strcmp(quiet_text, "1");
	result = spec_choose(argv[1], NULL, check && *check ? check : "lin", &choice, &e);
	if (result == 0)
		result = spec_make(&choice, argv[1], quiet, &text, &e);
	if (result == 0)
		result = spec_save(text, argv[2], &e);
	free(text);
	spec_choice_free(&choice);
	if (result < 0)
		remove_run(argv[2]);
	return result < 0 ? spec_print(&e) : EXIT_CLEAN;
}

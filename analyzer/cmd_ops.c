/* SPDX-License-Identifier: MIT
 *
 * `linchpin ops PROGRAM FILE`: what a preloaded run asks before it explores. Finds the
 * specification as `run` does and writes what the runtime reads; nothing if there is none.
 */
#include "commands.h"
#include "spec/choose.h"

#include <stdlib.h>
#include <string.h>

int cmd_ops(int argc, char **argv)
{
	struct spec_choice choice;
	struct error e;
	const char *quiet_text = getenv("LINCHPIN_QUIET");
	char *text = NULL;
	bool quiet;
	int result;

	if (argc != 3)
		return EXIT_MISUSE;
	quiet = quiet_text && !strcmp(quiet_text, "1");
	result = spec_choose(argv[1], NULL, &choice, &e);
	if (result == 0)
		result = spec_make(&choice, argv[1], quiet, &text, &e);
	if (result == 0)
		result = spec_save(text, argv[2], &e);
	free(text);
	spec_choice_free(&choice);
	return result < 0 ? spec_print(&e) : EXIT_CLEAN;
}

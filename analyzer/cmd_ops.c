/* SPDX-License-Identifier: MIT
 *
 * `linchpin ops PROGRAM FILE`: what a preloaded run asks before it explores. Finds the
 * specification as `run` does and writes what the runtime reads; nothing if there is none.
 */
#include "commands.h"
#include "spec/choose.h"

#include <stdlib.h>

int cmd_ops(int argc, char **argv)
{
	struct spec_choice choice;
	struct error e;
	char *text = NULL;
	int result;

	if (argc != 3)
		return EXIT_MISUSE;
	result = spec_choose(argv[1], NULL, &choice, &e);
	if (result == 0)
		result = spec_make(&choice, argv[1], false, &text, &e);
	if (result == 0)
		result = spec_save(text, argv[2], &e);
	free(text);
	spec_choice_free(&choice);
	return result < 0 ? spec_print(&e) : EXIT_CLEAN;
}

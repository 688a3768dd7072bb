/* SPDX-License-Identifier: MIT */
#include "judge/execute.h"
#include "run/files.h"
#include "source/build_id.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/wait.h>

/* Nothing is executed but the program that was explored: a run directory may come from anywhere,
 * and its program may have been built again. */
static int same_program(const struct run *original, struct error *e)
{
	const struct module *explored = original->nmodules ? &original->modules[0] : NULL;
	char *now;
	int result = 0;

	if (!explored || strcmp(explored->path, original->program) != 0)
		return error_set(e,
				 "%s is not the program that was explored, so it is not executed",
				 original->program);
	now = build_id_of_file(original->program);
	if (!now || strcasecmp(now, explored->build_id) != 0)
		result = error_set(e,
				   "%s is not what it was when it was explored (another build-id), "
				   "so it is not executed",
				   original->program);
	free(now);
	return result;
}

int execute_again(const struct run *original, const char *directory, const char *what,
		  void (*change)(struct launch *, struct settings *, void *data), void *data,
		  struct error *e)
{
	char *ops = run_files_path(original->directory, "ops");
	char *blocks = run_files_path(original->directory, "blocks"), *text = NULL;
	struct settings settings;
	struct launch launch = {
		.program = original->program,
		.argv = original->argv,
		.cwd = original->cwd,
		.input = original->input,
		.directory = directory,
		.ops = ops,
		.blocks = blocks,
		.settings = &settings,
		.quiet = true,
		.no_output = true,
	};
	int status, result = same_program(original, e);

	if (result == 0)
		result = settings_read(original->directory, &settings, &text, e);
	if (result == 0) {
		change(&launch, &settings, data);
		result = launch_run(&launch, &status, e);
	}
	if (result == 0 && !launch.debugger && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
		result =
			error_set(e, "%s ended with %s %d %s", original->program,
				  WIFEXITED(status) ? "status" : "signal",
				  WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), what);
	free(text);
	free(ops);
	free(blocks);
	return result;
}

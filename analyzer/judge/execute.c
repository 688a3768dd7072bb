/* SPDX-License-Identifier: MIT */
#include "judge/execute.h"
#include "run/files.h"

#include <stdlib.h>
#include <sys/wait.h>

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
		.directory = directory,
		.ops = ops,
		.blocks = blocks,
		.settings = &settings,
		.quiet = true,
		.no_output = true,
	};
	int status, result = settings_read(original->directory, &settings, &text, e);

	if (result == 0) {
		change(&launch, &settings, data);
		result = launch_run(&launch, &status, e);
	}
	if (result == 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
		result =
			error_set(e, "%s ended with %s %d %s", original->program,
				  WIFEXITED(status) ? "status" : "signal",
				  WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status), what);
	free(text);
	free(ops);
	free(blocks);
	return result;
}

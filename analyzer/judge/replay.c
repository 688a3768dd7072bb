/* SPDX-License-Identifier: MIT */
#include "judge/replay.h"
#include "launch/launch.h"
#include "run/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *make_directory(struct error *e)
{
	const char *base = getenv("TMPDIR");
	char *path = xasprintf("%s/linchpin-replay-XXXXXX", base && *base == '/' ? base : "/tmp");

	if (mkdtemp(path))
		return path;
	error_set(e, "%s: %s", path, strerror(errno));
	free(path);
	return NULL;
}

static int write_schedules(const char *path, char *const *schedules, size_t n, struct error *e)
{
	FILE *f = fopen(path, "w");
	bool failed;

	if (!f)
		return error_set(e, "%s: %s", path, strerror(errno));
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s\n", schedules[i]);
	failed = ferror(f);
	if (fclose(f) != 0 || failed)
		return error_set(e, "%s: %s", path, strerror(errno));
	return 0;
}

static int execute(const struct run *original, const char *directory, const char *schedules,
		   bool show_output, struct error *e)
{
	char *ops = run_files_ops(original->directory);
	struct settings settings;
	struct launch launch = {
		.program = original->program,
		.argv = original->argv,
		.cwd = original->cwd,
		.directory = directory,
		.ops = ops,
		.replay = schedules,
		.settings = &settings,
		.quiet = true,
		.no_output = !show_output,
	};
	char *text = NULL;
	int result, status;

	result = settings_read(original->directory, &settings, &text, e);
	settings.max_time = 0;
	settings.max_executions = 0;
	if (result == 0)
		result = launch_run(&launch, &status, e);
	if (result == 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0))
		result = error_set(e, "%s ended with %s %d under the scheduler", original->program,
				   WIFEXITED(status) ? "status" : "signal",
				   WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	free(text);
	free(ops);
	return result;
}

int replay_schedules(const struct run *original, char *const *schedules, size_t n, bool show_output,
		     struct replay *r, struct error *e)
{
	char *file;
	int result;

	r->run = NULL;
	r->directory = make_directory(e);
	if (!r->directory)
		return -1;
	file = xasprintf("%s/schedules", r->directory);
	result = write_schedules(file, schedules, n, e);
	if (result == 0)
		result = execute(original, r->directory, file, show_output, e);
	if (result == 0) {
		r->run = run_open(r->directory, e);
		result = r->run ? 0 : -1;
	}
	unlink(file);
	free(file);
	if (result < 0)
		replay_end(r);
	return result;
}

void replay_end(struct replay *r)
{
	if (r->run)
		run_close(r->run);
	if (r->directory) {
		run_files_remove(r->directory);
		rmdir(r->directory);
	}
	free(r->directory);
	*r = (struct replay){ 0 };
}

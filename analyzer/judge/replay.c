/* SPDX-License-Identifier: MIT */
#include "judge/replay.h"
#include "judge/execute.h"
#include "run/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* What steered the search, as an absolute path: the program may run elsewhere. */
static char *steering_of(const char *directory)
{
	char *whole = realpath(directory, NULL), *path = NULL;

	if (whole)
		path = xasprintf("%s/steering", whole);
	free(whole);
	return path;
}

struct replaying {
	const char *schedules, *steering;
	bool show_output, leaks;
	uint64_t reused;
	char *const *debugger;
};

static void change(struct launch *l, struct settings *s, void *data)
{
	const struct replaying *r = data;

	l->replay = r->schedules;
	l->steering = r->steering;
	l->no_output = !r->show_output;
	l->reused = r->reused;
	l->debugger = r->debugger;
	s->leaks = r->leaks;
	s->max_time = 0;
	s->max_executions = 0;
}

/* Executes the schedules into r->directory. */
static int execute(const struct run *original, char *const *schedules, size_t n,
		   struct replaying *how, struct replay *r, struct error *e)
{
	char *file = xasprintf("%s/schedules", r->directory);
	char *steering = steering_of(original->directory);
	int result;

	how->reused = original->status.reused;
	how->schedules = file;
	how->steering = steering;
	result = write_schedules(file, schedules, n, e);
	if (result == 0)
		result = execute_again(original, r->directory, "under the scheduler", change, how,
				       e);
	unlink(file);
	free(file);
	free(steering);
	return result;
}

int replay_schedules(const struct run *original, char *const *schedules, size_t n, bool show_output,
		     struct replay *r, struct error *e)
{
	struct replaying how = { .show_output = show_output, .leaks = r->leaks };
	int result;

	r->run = NULL;
	r->directory = run_files_temporary("replay", e);
	if (!r->directory)
		return -1;
	result = execute(original, schedules, n, &how, r, e);
	if (result == 0) {
		r->run = run_open(r->directory, e);
		result = r->run ? 0 : -1;
	}
	if (result < 0)
		replay_end(r);
	return result;
}

int replay_debug(const struct run *original, char *schedule, char *const *debugger,
		 int (*write_session)(const char *path, void *data, struct error *e), void *data,
		 struct replay *r, struct error *e)
{
	struct replaying how = { .show_output = true, .debugger = debugger };
	char *session;
	int result;

	r->run = NULL;
	r->directory = run_files_temporary("replay", e);
	if (!r->directory)
		return -1;
	session = xasprintf("%s/session", r->directory);
	result = write_session(session, data, e);
	if (result == 0)
		result = execute(original, &schedule, 1, &how, r, e);
	unlink(session);
	free(session);
	if (result < 0)
		replay_end(r);
	return result;
}

void replay_end(struct replay *r)
{
	if (r->map)
		srcmap_close(r->map);
	if (r->run)
		run_close(r->run);
	if (r->directory) {
		run_files_remove(r->directory);
		rmdir(r->directory);
	}
	free(r->directory);
	*r = (struct replay){ 0 };
}

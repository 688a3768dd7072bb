/* SPDX-License-Identifier: MIT */
#include "command/fix_build.h"
#include "command/spawn.h"

#include "launch/launch.h"
#include "run/files.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Not copied: what belongs to version control, and run directories. */
static bool left_out(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..") || !strcmp(name, ".git") ||
	       !strcmp(name, ".hg") || !strncmp(name, "linchpin.", 9);
}

static int copy_tree(const char *from, const char *to, struct error *e)
{
	DIR *d = opendir(from);
	struct dirent *entry;
	int result = 0;

	if (!d)
		return error_set(e, "%s: %s", from, strerror(errno));
	while (result == 0 && (entry = readdir(d))) {
		char *path = xasprintf("%s/%s", from, entry->d_name);
		char *argv[] = { (char *)"cp", (char *)"-a", (char *)"--", path, (char *)to, NULL };

		if (!left_out(entry->d_name))
			result = spawn_run("cp", argv, NULL, NULL, SPAWN_ERRORS);
		free(path);
	}
	closedir(d);
	return result ? error_set(e, "%s could not be copied to %s", from, to) : 0;
}

static int make_copy(struct fix_build *b, struct error *e)
{
	const char *base = getenv("TMPDIR");

	if (b->copy)
		return 0;
	b->tree = getcwd(NULL, 0);
	b->copy = xasprintf("%s/linchpin-fix-XXXXXX", base && *base == '/' ? base : "/tmp");
	if (!b->tree || !mkdtemp(b->copy)) {
		free(b->copy);
		b->copy = NULL;
		return error_set(e, "no copy of the working directory: %s", strerror(errno));
	}
	return copy_tree(b->tree, b->copy, e);
}

/* The path in the copy, to free; NULL if it is not below the tree. */
static char *moved(const struct fix_build *b, const char *path)
{
	char *real = realpath(path, NULL), *result = NULL;
	size_t n = strlen(b->tree);

	if (real && !strncmp(real, b->tree, n) && (real[n] == '/' || !real[n]))
		result = xasprintf("%s%s", b->copy, real + n);
	free(real);
	return result;
}

static int write_texts(const struct fix_build *b, const struct patch *p, bool after,
		       struct error *e)
{
	for (size_t i = 0; i < p->n; i++) {
		char *path = moved(b, p->files[i].path);
		FILE *f;
		bool failed;

		if (!path)
			return error_set(e,
					 "%s is not below the working directory, which --build "
					 "copies; start it where the source is",
					 p->files[i].path);
		f = fopen(path, "w");
		failed = !f || fputs(after ? p->files[i].after : p->files[i].before, f) < 0;
		if ((f && fclose(f) != 0) || failed) {
			error_set(e, "%s: %s", path, strerror(errno));
			free(path);
			return -1;
		}
		free(path);
	}
	return 0;
}

struct words {
	char **list;
	size_t n, capacity;
};

static void add(struct words *w, char *word)
{
	VEC_GROW(w->list, w->n, w->capacity);
	w->list[w->n++] = word;
}

/* `linchpin run` with the settings of the run. */
static int add_settings(struct words *w, const struct run *run, struct error *e)
{
	struct settings s;
	char *text = NULL;

	if (settings_read(run->directory, &s, &text, e) < 0)
		return -1;
	add(w, xasprintf("--search=%s", s.search));
	/* Given by the user or not makes a difference. */
	if (strcmp(s.check, settings_default.check) != 0)
		add(w, xasprintf("--check=%s", s.check));
	if (strcmp(s.progress, "none") != 0)
		add(w, xasprintf("--progress=%s", s.progress));
	add(w, xasprintf("--isolate=%s", s.isolate));
	add(w, xasprintf("--malloc=%s", s.malloc));
	if (s.spurious)
		add(w, xstrdup("--spurious"));
	add(w, xasprintf("--seed=%" PRIu64, s.seed));
	add(w, xasprintf("--max-executions=%" PRIu64, s.max_executions));
	add(w, xasprintf("--max-steps=%" PRIu64, s.max_steps));
	add(w, xasprintf("--max-time=%.3f", s.max_time));
	if (s.instrument)
		add(w, xasprintf("--instrument=%s", s.instrument));
	if (s.skip)
		add(w, xasprintf("--skip=%s", s.skip));
	free(text);
	return 0;
}

/* The file that the run had as its standard input, to free: that of the copy if it is there. What was none
 * was not read. */
static int find_input(const struct fix_build *b, const struct run *run, char **input, struct error *e)
{
	char *own = run->input ? moved(b, run->input) : NULL;

	*input = own ? own : xstrdup(run->input ? run->input : "/dev/null");
	if (access(*input, R_OK) == 0)
		return 0;
	return error_set(e, "%s, the standard input of the run: %s", *input, strerror(errno));
}

/* As the run was made. */
static int explore(const struct fix_build *b, const struct run *run, const char *program,
		   const char *specification, const char *directory, const char *json,
		   struct error *e)
{
	struct words w = { 0 };
	char *cwd = moved(b, run->cwd), *input = NULL;
	int status = -1;

	add(&w, xstrdup("linchpin"));
	add(&w, xstrdup("run"));
	add(&w, xstrdup("-q"));
	add(&w, xasprintf("--output=%s", directory));
	add(&w, xasprintf("--json=%s", json));
	if (find_input(b, run, &input, e) == 0 && add_settings(&w, run, e) == 0) {
		if (specification)
			add(&w, xasprintf("--spec=%s", specification));
		add(&w, xstrdup("--"));
		add(&w, xstrdup(program));
		for (int i = 1; i < run->argc; i++)
			add(&w, xstrdup(run->argv[i]));
		add(&w, NULL);
		status = spawn_run("/proc/self/exe", w.list, cwd ? cwd : run->cwd, input,
				   SPAWN_MESSAGES);
		if (status < 0)
			error_set(e, "the exploration could not be started: %s", strerror(errno));
	}
	for (size_t i = 0; i < w.n; i++)
		free(w.list[i]);
	free(w.list);
	free(input);
	free(cwd);
	return status;
}

/* What the exploration says. */
static int judge(const struct patch *p, const char *json, int status, struct error *e)
{
	json_t *o = json_load_file(json, 0, NULL);
	json_int_t classes = json_integer_value(json_object_get(o, "classes"));
	bool complete = json_is_true(json_object_get(o, "complete"));
	size_t violations = json_array_size(json_object_get(o, "violations"));
	int result = status == EXIT_CLEAN && o ? 1 : status == EXIT_VIOLATION && o ? 0 : -1;

	json_decref(o);
	if (result < 0)
		return error_set(e, "patched, built, but the exploration failed (status %d)",
				 status);
	if (result == 1)
		fprintf(stderr,
			"linchpin: patched, built, explored: %s%lld classes, no violation\n",
			complete ? "all " : "not finished, ", (long long)classes);
	else
		fprintf(stderr, "linchpin: patched, built, explored: %zu %s in %lld classes\n",
			violations, plural(violations, "violation remains", "violations remain"),
			(long long)classes);
	return result;
}

int fix_build_try(struct fix_build *b, const struct run *run, const struct patch *p,
		  const char *command, const char *specification, struct error *e)
{
	char *shell[] = { (char *)"sh", (char *)"-c", (char *)command, NULL };
	char *program, *directory, *json, *spec;
	int result, status;

	if (make_copy(b, e) < 0 || write_texts(b, p, true, e) < 0)
		return -1;
	status = spawn_run("sh", shell, b->copy, NULL, SPAWN_ERRORS);
	if (status)
		return error_set(e, "patched, but `%s` ended with status %d", command, status);
	program = moved(b, run->program);
	if (!program)
		return error_set(e, "%s is not below the working directory, which --build copies",
				 run->program);
	directory = xasprintf("%s.run", b->copy);
	json = xasprintf("%s.json", b->copy);
	spec = specification && strchr(specification, '/') ? realpath(specification, NULL) : NULL;
	status = explore(b, run, program, spec ? spec : specification, directory, json, e);
	result = status < 0 ? -1 : judge(p, json, status, e);
	if (result == 0)
		result = write_texts(b, p, false, e);
	run_files_remove(directory);
	rmdir(directory);
	unlink(json);
	free(spec);
	free(json);
	free(directory);
	free(program);
	return result;
}

void fix_build_end(struct fix_build *b)
{
	char *argv[] = { (char *)"rm", (char *)"-rf", (char *)"--", b->copy, NULL };

	if (b->copy)
		spawn_run("rm", argv, NULL, NULL, SPAWN_MESSAGES);
	free(b->tree);
	free(b->copy);
	*b = (struct fix_build){ 0 };
}

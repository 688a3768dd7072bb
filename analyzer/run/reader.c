/* SPDX-License-Identifier: MIT
 *
 * Opening a run directory: its text files and the status block. See format/run_dir.h.
 */
#include "run/private.h"
#include "format/search.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_ARGUMENTS (1 << 20)

/* Undoes the \ooo escapes of a text value in place. */
static void unescape(char *s)
{
	char *to = s;

	while (*s) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' &&
		    s[3] >= '0' && s[3] <= '7') {
			*to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 4;
		} else {
			*to++ = *s++;
		}
	}
	*to = '\0';
}

/* Cuts the next line off *text; NULL at the end. A last line without newline was not finished. */
static char *next_line(char **text)
{
	char *line = *text;
	char *newline = strchr(line, '\n');

	if (!newline)
		return NULL;
	*newline = '\0';
	*text = newline + 1;
	return line;
}

static void set_string(char **field, const char *value)
{
	free(*field);
	*field = xstrdup(value);
}

static int run_key(struct run *run, const char *key, const char *value, uint32_t *capacity,
		   struct error *e)
{
	if (!strcmp(key, "program")) {
		set_string(&run->program, value);
	} else if (!strcmp(key, "cwd")) {
		set_string(&run->cwd, value);
	} else if (!strcmp(key, "input")) {
		set_string(&run->input, value);
	} else if (!strcmp(key, "progress")) {
		set_string(&run->progress, value);
	} else if (!strcmp(key, "check")) {
		set_string(&run->check, value);
	} else if (!strcmp(key, "search")) {
		set_string(&run->search, value);
		run->stateful = lp_search_stateful(lp_search_named(value));
	} else if (!strcmp(key, "equivalence")) {
		run->observers = strstr(value, "observers") != NULL;
		run->symmetric = strstr(value, "symmetry") != NULL;
	} else if (!strcmp(key, "enforce")) {
		set_string(&run->enforce, value);
	} else if (!strcmp(key, "malloc")) {
		set_string(&run->malloc, value);
	} else if (!strcmp(key, "max-steps")) {
		run->max_steps = strtoull(value, NULL, 10);
	} else if (!strcmp(key, "arg")) {
		if (run->argc >= MAX_ARGUMENTS)
			return error_set(e, "%s/run: more than %d arguments; the file is damaged",
					 run->directory, MAX_ARGUMENTS);
		VEC_GROW(run->argv, (uint32_t)run->argc, *capacity);
		run->argv[run->argc++] = xstrdup(value);
	} else if (!strcmp(key, "format") && strcmp(value, "1")) {
		return error_set(e,
				 "%s/run: format %.40s, but this linchpin reads format %d; use the "
				 "linchpin that made the run, or explore again",
				 run->directory, value, LP_RUN_VERSION);
	}
	return 0;
}

static int read_run_file(struct run *run, struct error *e)
{
	char *path = xasprintf("%s/run", run->directory);
	size_t size;
	char *text = read_file(path, &size, NULL), *rest = text, *line;
	uint32_t capacity = 0;
	bool version = false;
	int rc = 0;

	if (!text)
		rc = error_set(e,
			       "%s: not a run directory (%s: %s); give the directory that "
			       "`linchpin run -o DIR` or a preloaded run made",
			       run->directory, path, strerror(errno));
	while (!rc && text && (line = next_line(&rest))) {
		char *value = strchr(line, ' ');

		if (value)
			*value++ = '\0';
		else
			value = line + strlen(line);
		unescape(value);
		version |= !strcmp(line, "format");
		rc = run_key(run, line, value, &capacity, e);
	}
	if (!rc && !version)
		rc = error_set(e, "%s: expected a line `format %d`; this is not a run directory",
			       path, LP_RUN_VERSION);
	run->argv = xreallocarray(run->argv, (size_t)run->argc + 1, sizeof *run->argv);
	run->argv[run->argc] = NULL;
	if (!run->program)
		run->program = xstrdup(run->argc ? run->argv[0] : "?");
	if (!run->cwd)
		run->cwd = xstrdup("/");
	if (!run->progress)
		run->progress = xstrdup("none");
	if (!run->check)
		run->check = xstrdup("lin");
	if (!run->malloc)
		run->malloc = xstrdup("reuse");
	if (!run->search)
		run->search = xstrdup(LP_SEARCH_STANDARD);
	free(text);
	free(path);
	return rc;
}

static bool hex_or_dash(const char *s)
{
	return !strcmp(s, "-") || (*s && strspn(s, "0123456789abcdefABCDEF") == strlen(s));
}

/* One line of RUNDIR/modules: id, build-id, size, path. */
static int module_line(struct run *run, char *line, unsigned number, struct error *e)
{
	struct run_private *p = run->private;
	char *id = strsep(&line, " "), *build_id = strsep(&line, " "), *size = strsep(&line, " ");
	char *end;

	if (!line || !build_id || !size || !hex_or_dash(build_id) ||
	    strtoul(id, &end, 10) != run->nmodules || *end || end == id)
		return error_set(e,
				 "%s/modules:%u: expected `%u BUILD-ID SIZE PATH`; the file is "
				 "damaged: explore again",
				 run->directory, number, run->nmodules);
	unescape(line);
	VEC_GROW(run->modules, run->nmodules, p->modules_capacity);
	run->modules[run->nmodules++] = (struct module){
		.path = xstrdup(line),
		.build_id = xstrdup(build_id),
		.size = strtoull(size, NULL, 16),
	};
	return 0;
}

/* A run that was killed at its very start has no list of modules yet. */
static int read_modules(struct run *run, struct error *e)
{
	char *path = xasprintf("%s/modules", run->directory);
	size_t size;
	char *text = read_file(path, &size, NULL), *rest = text, *line;
	unsigned number = 0;
	int rc = 0;

	if (!text && errno != ENOENT)
		rc = error_set(e, "%s: %s", path, strerror(errno));
	while (!rc && text && (line = next_line(&rest)))
		rc = module_line(run, line, ++number, e);
	free(text);
	free(path);
	return rc;
}

static int read_status(struct run *run, struct error *e)
{
	char *path = xasprintf("%s/status", run->directory);
	struct lp_status *s = &run->status;
	FILE *f = fopen(path, "rb");
	size_t n = f ? fread(s, 1, sizeof *s, f) : 0;
	int rc = 0;

	if (!f && errno != ENOENT)
		rc = error_set(e, "%s: %s", path, strerror(errno));
	else if (n != 0 && (n < sizeof *s || s->magic != LP_STATUS_MAGIC))
		rc = error_set(e,
			       "%s: not a status block (%zu bytes, expected %zu with its magic); "
			       "the run directory is damaged: explore again",
			       path, n, sizeof *s);
	else if (n != 0 && s->version != LP_RUN_VERSION)
		rc = error_set(e,
			       "%s: version %u, but this linchpin reads version %d; use the "
			       "linchpin that made the run",
			       path, s->version, LP_RUN_VERSION);
	run->observers = run->observers && !(s->every_order & LP_EVERY_WRITE);
	run->symmetric = run->symmetric && !(s->every_order & LP_EVERY_TWIN);
	if (f)
		fclose(f);
	free(path);
	return rc;
}

static uint32_t little_endian(const uint8_t *b)
{
	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Opens the trace and checks its header. An empty file was made by a run that was killed before it
 * wrote. */
static int open_trace(struct run *run, struct error *e)
{
	struct run_private *p = run->private;
	uint8_t header[LP_TRACE_HEADER];
	struct stat st;
	ssize_t n;

	p->path = xasprintf("%s/trace", run->directory);
	p->fd = open(p->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (p->fd < 0)
		return error_set(e, "%s: %s; the run directory is incomplete: explore again",
				 p->path, strerror(errno));
	if (fstat(p->fd, &st) < 0 || !S_ISREG(st.st_mode))
		return error_set(e, "%s: not a regular file", p->path);
	n = pread(p->fd, header, sizeof header, 0);
	if (n < 0)
		return error_set(e, "%s: %s", p->path, strerror(errno));
	if (n < (ssize_t)sizeof header)
		return 0;
	if (memcmp(header, LP_TRACE_MAGIC, 8))
		return error_set(e,
				 "%s: byte 0: expected \"" LP_TRACE_MAGIC "\"; this is not a trace "
				 "of linchpin, or it is damaged: explore again",
				 p->path);
	if (little_endian(header + 8) != LP_TRACE_VERSION)
		return error_set(e,
				 "%s: byte 8: trace version %u, but this linchpin reads version "
				 "%d; use the linchpin that made the run, or explore again",
				 p->path, little_endian(header + 8), LP_TRACE_VERSION);
	return 0;
}

struct run *run_open(const char *directory, struct error *e)
{
	struct run *run = xcalloc(1, sizeof *run);

	run->directory = xstrdup(directory);
	run->private = xcalloc(1, sizeof *run->private);
	run->private->fd = -1;
	run->private->most = UINT64_MAX;
	run->private->scanned = LP_TRACE_HEADER;
	places_begin(&run->private->places, LP_TRACE_HEADER);
	run_rewind(run);
	if (read_run_file(run, e) || read_modules(run, e) || read_status(run, e) ||
	    open_trace(run, e)) {
		run_close(run);
		return NULL;
	}
	run->private->least = run->status.end == LP_END_RUNNING ? 0 : run->status.trace_bytes;
	return run;
}

static void close_private(struct run_private *p)
{
	if (p->fd >= 0)
		close(p->fd);
	free(p->path);
	free(p->window);
	places_free(&p->places);
	free(p->events);
	free(p->ops);
	free(p->outer);
	free(p->current);
	free(p->region_slots);
	free(p->region_first);
	free(p);
}

void run_close(struct run *run)
{
	if (!run)
		return;
	for (uint32_t i = 0; i < run->nmodules; i++) {
		free(run->modules[i].path);
		free(run->modules[i].build_id);
	}
	for (uint32_t i = 0; i < run->nthreads; i++)
		free(run->threads[i].name);
	for (uint32_t i = 0; i < run->nstrings; i++)
		free(run->strings[i]);
	for (int i = 0; i < run->argc; i++)
		free(run->argv[i]);
	free(run->argv);
	free(run->modules);
	free(run->contexts);
	free(run->sites);
	free(run->locations);
	free(run->threads);
	free(run->objects);
	free(run->strings);
	free(run->notes);
	for (uint32_t i = 0; i < run->nstacks; i++)
		free(run->stacks[i].words);
	free(run->stacks);
	free(run->limits);
	free(run->leaks);
	free(run->directory);
	free(run->program);
	free(run->cwd);
	free(run->input);
	free(run->check);
	free(run->progress);
	free(run->search);
	free(run->malloc);
	free(run->enforce);
	close_private(run->private);
	free(run);
}

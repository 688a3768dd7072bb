/* SPDX-License-Identifier: MIT */
#include "parts/merge.h"
#include "format/trace_format.h"
#include "parts/plan.h"
#include "run/files.h"
#include "run/join.h"
#include "run/trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct shard {
	const char *directory;
	struct frontier frontier;
	struct run *run;
	char *described; /* RUNDIR/run without what may differ */
	int lock;
};

struct shards {
	struct shard *list;
	uint32_t n;
	struct settings settings;
	char *settings_text;
};

/* ---- reading ---- */

/* Without the bound on time; and no input is like an empty one. */
static char *without_bounds(char *text)
{
	static const char *const keys[] = { "max-time-ms ", "input /dev/null\n" };
	char *to = text, *next;

	for (char *line = text; *line; line = next) {
		bool left_out = false;
		size_t n = strcspn(line, "\n");

		n += line[n] == '\n';
		next = line + n;
		for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
			left_out |= !strncmp(line, keys[i], strlen(keys[i]));
		if (!left_out) {
			memmove(to, line, n);
			to += n;
		}
	}
	*to = '\0';
	return text;
}

static int read_shard(struct shard *s, const char *directory, struct error *e)
{
	size_t size;

	s->directory = directory;
	s->lock = run_files_lock(directory, e);
	if (s->lock < 0 || frontier_read(directory, &s->frontier, e) < 0)
		return -1;
	if (!s->frontier.shards)
		return error_set(e, "%s is not a shard of a search: it was not made with --shard",
				 directory);
	if (!s->frontier.shared)
		return error_set(e, "%s was ended before the search was divided; explore this shard "
				    "again, or go on with it: linchpin run --resume=%s",
				 directory, directory);
	s->run = run_open(directory, e);
	if (s->run)
		frontier_times(&s->frontier, &s->run->status);
	frontier_take_back(&s->frontier);
	s->described = s->run ? read_file_in(directory, "run", &size, e) : NULL;
	if (!s->described)
		return -1;
	without_bounds(s->described);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const struct shard *x = a, *y = b;

	return (x->frontier.shard > y->frontier.shard) - (x->frontier.shard < y->frontier.shard);
}

/* ---- do they belong together? ---- */

static int check_described(const struct shard *a, const struct shard *b, struct error *e)
{
	size_t i = 0, line = 0;

	if (strcmp(a->frontier.keep, b->frontier.keep) != 0 || a->frontier.leaks != b->frontier.leaks)
		return error_set(e, "%s and %s are of different searches: of --keep or --leaks",
				 a->directory, b->directory);
	for (; a->described[i] == b->described[i]; i++) {
		if (!a->described[i])
			return 0;
		if (a->described[i] == '\n')
			line = i + 1;
	}
	return error_set(e, "%s and %s are of different searches: `%.*s` and `%.*s`", a->directory,
			 b->directory, (int)strcspn(a->described + line, "\n"), a->described + line,
			 (int)strcspn(b->described + line, "\n"), b->described + line);
}

/* Files that executions change may be others for each. */
static int check_inputs(const struct shard *a, const struct shard *b, struct error *e)
{
	if (a->run->status.files || b->run->status.files || !strcmp(a->frontier.inputs, b->frontier.inputs))
		return 0;
	return error_set(e, "%s and %s are of different searches: what the program read, its standard input or a file "
			    "among its arguments, was not the same",
			 a->directory, b->directory);
}

static int check_modules(const struct shard *a, const struct shard *b, struct error *e)
{
	for (uint32_t i = 0; i < a->run->nmodules; i++)
		for (uint32_t k = 0; k < b->run->nmodules; k++)
			if (module_rebuilt(&a->run->modules[i], &b->run->modules[k]))
				return error_set(e, "%s and %s are of different builds of %s",
						 a->directory, b->directory, a->run->modules[i].path);
	return 0;
}

/* All of one search, each once. */
static int check(const struct shard *s, uint32_t n, struct error *e)
{
	for (uint32_t i = 0; i < n; i++) {
		if (s[i].frontier.shards != n)
			return error_set(e, "%s is one of %" PRIu64 " shards, but %" PRIu32 " were given",
					 s[i].directory, s[i].frontier.shards, n);
		if (i && s[i].frontier.shard == s[i - 1].frontier.shard)
			return error_set(e, "%s and %s are the same shard", s[i - 1].directory,
					 s[i].directory);
		if (check_described(s, &s[i], e) < 0 || check_inputs(s, &s[i], e) < 0)
			return -1;
		for (uint32_t k = 0; k < i; k++)
			if (check_modules(&s[k], &s[i], e) < 0)
				return -1;
	}
	return 0;
}

static int check_given(char *const *directories, uint32_t n, struct error *e)
{
	struct stat a, b;

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < i; k++)
			if (stat(directories[i], &a) == 0 && stat(directories[k], &b) == 0 &&
			    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
				return error_set(e, "%s and %s are the same shard", directories[k],
						 directories[i]);
	return 0;
}

struct shards *shards_open(char *const *directories, uint32_t n, struct error *e)
{
	struct shards *s = xcalloc(1, sizeof *s);
	int result = check_given(directories, n, e);

	s->list = xcalloc(n, sizeof *s->list);
	for (; s->n < n && result == 0; s->n++)
		result = read_shard(&s->list[s->n], directories[s->n], e);
	if (result == 0) {
		qsort(s->list, n, sizeof *s->list, by_number);
		result = check(s->list, n, e);
	}
	if (result == 0)
		result = settings_read(s->list->directory, &s->settings, &s->settings_text, e);
	if (result == 0)
		return s;
	shards_close(s);
	return NULL;
}

void shards_close(struct shards *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		frontier_free(&s->list[i].frontier);
		run_close(s->list[i].run);
		free(s->list[i].described);
		if (s->list[i].lock >= 0)
			close(s->list[i].lock);
	}
	free(s->list);
	free(s->settings_text);
	free(s);
}

const struct settings *shards_settings(const struct shards *s)
{
	return &s->settings;
}

/* ---- what they have learned ---- */

static bool learned_the_same(const struct frontier *a, const struct frontier *b)
{
	return a->reused == b->reused && !a->steering == !b->steering &&
	       (!a->steering || !strcmp(a->steering, b->steering));
}

/* The one that has begun again most often if they differ, and *other one that differs from it; or NULL. */
static const struct shard *who_has_learned(const struct shards *s, const struct shard **other)
{
	const struct shard *most = s->list;

	*other = NULL;
	for (uint32_t i = 1; i < s->n; i++)
		if (s->list[i].frontier.status.restarts > most->frontier.status.restarts)
			most = &s->list[i];
	for (uint32_t i = 0; i < s->n; i++)
		if (!learned_the_same(&s->list[i].frontier, &most->frontier))
			*other = &s->list[i];
	return *other ? most : NULL;
}

static void know(struct frontier *f, const struct frontier *from)
{
	f->reused = from->reused;
	f->steering = from->steering ? xstrdup(from->steering) : NULL;
	f->status.restarts = from->status.restarts;
}

/* ---- joining ---- */

static int copy_files(const char *from, const char *to, struct error *e)
{
	static const char *const names[] = { "ops", "uninstrumented", "steering", "run" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (run_files_copy(from, to, names[i], e) < 0)
			return -1;
	return 0;
}

static int join(struct shards *s, struct joined *joined, struct frontier *f, struct error *e)
{
	struct frontier **all = xcalloc(s->n, sizeof *all);
	int result = 0;

	f->root = s->list->frontier.root;
	s->list->frontier.root = NULL;
	for (uint32_t i = 0; i < s->n && result == 0; i++) {
		struct frontier *g = all[i] = &s->list[i].frontier;

		result = join_add(joined, s->list[i].directory, &g->status, &f->status, e);
		livelocks_merge(&f->livelocks, &g->livelocks);
		f->status.drawn += g->status.drawn;
		f->status.seconds += g->status.seconds; /* like sittings */
		f->joined = g->joined > f->joined ? g->joined : f->joined;
		if (result == 0 && f->root && g->root && tree_merge(f->root, g->root) < 0)
			result = error_set(e, "%s is of another search than %s, or of another version "
					      "of the program",
					   s->list[i].directory, s->list->directory);
	}
	if (result == 0)
		plan_merge_ranges(f, all, s->n);
	if (result == 0 && f->root) {
		tree_merged(f->root);
		tree_prune(f->root);
	}
	free(all);
	return result;
}

int shards_merge(struct shards *s, const char *directory, struct frontier *f, struct error *e)
{
	const struct shard *other, *most = who_has_learned(s, &other);
	struct joined *joined;
	int result;

	*f = (struct frontier){ .keep = xstrdup(s->list->frontier.keep), .leaks = s->list->frontier.leaks };
	memcpy(f->inputs, s->list->frontier.inputs, sizeof f->inputs);
	f->status.magic = LP_STATUS_MAGIC;
	f->status.version = LP_RUN_VERSION;
	f->status.estimate = -1;
	f->status.trace_bytes = LP_TRACE_HEADER;
	know(f, most ? &most->frontier : &s->list->frontier);
	joined = join_open(directory, 0, plan_meets_again(&s->settings), e);
	if (!joined)
		return -1;
	result = copy_files(most ? most->directory : s->list->directory, directory, e);
	if (result == 0 && most) {
		/* One that began again did so alone, so all is left. */
		fprintf(stderr,
			"linchpin: %s has not learned the same of the program as %s, so the search begins "
			"again with what the latter knows\n",
			other->directory, most->directory);
		f->root = s->list->frontier.root ? tree_new() : NULL;
	} else if (result == 0) {
		result = join(s, joined, f, e);
	}
	if (result == 0)
		result = join_sync(joined, e);
	join_close(joined);
	return result;
}

/* SPDX-License-Identifier: MIT */
#include "parts/merge.h"
#include "format/trace_format.h"
#include "launch/launch.h"
#include "parts/round.h"
#include "run/join.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct shard {
	const char *directory;
	struct frontier frontier;
	char *run; /* the file, without what may differ */
};

static char *read_name(const char *directory, const char *name, struct error *e)
{
	char *path = xasprintf("%s/%s", directory, name);
	size_t size;
	char *text = read_file(path, &size, e);

	free(path);
	return text;
}

/* Without the bounds, and where it was. */
static char *without_bounds(char *text)
{
	static const char *const keys[] = { "max-time-ms ", "cwd ", "input " };
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
	s->directory = directory;
	s->run = read_name(directory, "run", e);
	if (!s->run || frontier_read(directory, &s->frontier, e) < 0)
		return -1;
	without_bounds(s->run);
	if (!s->frontier.shards)
		return error_set(e, "%s is not a shard of a search: it was not made with --shard",
				 directory);
	if (!s->frontier.shared)
		return error_set(e, "%s was ended before the search was divided; explore this shard "
				    "again, or go on with it: linchpin run --resume=%s",
				 directory, directory);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const struct shard *x = a, *y = b;

	return (x->frontier.shard > y->frontier.shard) - (x->frontier.shard < y->frontier.shard);
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
		if (strcmp(s[i].run, s[0].run) != 0)
			return error_set(e, "%s and %s are of different searches", s[0].directory,
					 s[i].directory);
	}
	return 0;
}

static bool learned_the_same(const struct shard *a, const struct shard *b)
{
	const struct frontier *f = &a->frontier, *g = &b->frontier;
	char *mine = f->steered ? read_name(a->directory, "steering", NULL) : NULL;
	char *theirs = g->steered ? read_name(b->directory, "steering", NULL) : NULL;
	bool same = f->reused == g->reused && f->sends == g->sends &&
		    f->ends_watched == g->ends_watched && !mine == !theirs &&
		    (!mine || !strcmp(mine, theirs));

	free(mine);
	free(theirs);
	return same;
}

static int copy_name(const char *from, const char *to, const char *name, struct error *e)
{
	char *text = read_name(from, name, NULL), *path = xasprintf("%s/%s", to, name);
	FILE *file = text ? fopen(path, "w") : NULL;
	int result = 0;

	if (file) {
		fputs(text, file);
		if (fclose(file) != 0)
			result = error_set(e, "%s: %s", path, strerror(errno));
	}
	free(path);
	free(text);
	return result;
}

static int copy_names(const char *from, const char *to, struct error *e)
{
	static const char *const names[] = { "run", "ops", "uninstrumented", "steering" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (copy_name(from, to, names[i], e) < 0)
			return -1;
	return 0;
}

/* A shard that had to begin again did so alone: then all is left. What it has learned is used. */
static int begin_again(const struct shard *s, const char *directory, struct frontier *f, struct error *e)
{
	fprintf(stderr,
		"linchpin: %s has learned of the program what the other shards did not know, so the "
		"search begins again\n",
		s->directory);
	tree_free(f->root);
	f->root = f->root ? tree_new() : NULL;
	f->reused = s->frontier.reused;
	f->sends = s->frontier.sends;
	f->ends_watched = s->frontier.ends_watched;
	f->steered = s->frontier.steered;
	f->drawn = f->round = 0;
	round_forget_counts(&f->status);
	f->status.restarts = s->frontier.status.restarts;
	return copy_name(s->directory, directory, "steering", e);
}

static int join(const struct shard *s, uint32_t n, const char *directory, struct frontier *f,
		struct error *e)
{
	struct settings settings;
	struct joined *joined;
	char *text = NULL;
	int result = settings_read(s->directory, &settings, &text, e);

	joined = result == 0 ? join_open(directory, 0, round_meets_again(&settings), e) : NULL;
	result = joined ? 0 : -1;
	for (uint32_t i = 0; i < n && result == 0; i++) {
		result = join_add(joined, s[i].directory, &f->status, e);
		livelocks_merge(&f->livelocks, &s[i].frontier.livelocks);
		f->status.drawn += s[i].frontier.status.drawn;
		f->drawn += s[i].frontier.drawn;
		f->round = s[i].frontier.round > f->round ? s[i].frontier.round : f->round;
		if (result == 0 && f->root && s[i].frontier.root && i &&
		    tree_merge(f->root, s[i].frontier.root) < 0)
			result = error_set(e, "%s is of another search than %s, or of another version "
					      "of the program",
					   s[i].directory, s->directory);
	}
	if (f->root)
		tree_merged(f->root);
	if (result == 0)
		result = join_flush(joined, e);
	if (joined)
		join_close(joined);
	free(text);
	return result;
}

static int merge(struct shard *s, uint32_t n, const char *directory, struct frontier *f,
		 struct error *e)
{
	uint32_t most = 0;
	bool same = true;

	*f = (struct frontier){ .keep = xstrdup(s->frontier.keep),
				.reused = s->frontier.reused,
				.sends = s->frontier.sends,
				.ends_watched = s->frontier.ends_watched,
				.steered = s->frontier.steered,
				.root = s->frontier.root };
	f->status.magic = LP_STATUS_MAGIC;
	f->status.version = LP_RUN_VERSION;
	f->status.estimate = -1;
	f->status.restarts = s->frontier.status.restarts;
	f->status.trace_bytes = LP_TRACE_HEADER;
	s->frontier.root = NULL;
	for (uint32_t i = 1; i < n; i++) {
		same &= learned_the_same(s, &s[i]);
		if (s[i].frontier.status.restarts > s[most].frontier.status.restarts)
			most = i;
	}
	if (copy_names(s->directory, directory, e) < 0)
		return -1;
	return same ? join(s, n, directory, f, e) : begin_again(&s[most], directory, f, e);
}

int parts_merge(char *const *shards, uint32_t n, const char *directory, struct frontier *f,
		struct error *e)
{
	struct shard *s = xcalloc(n, sizeof *s);
	int result = 0;

	memset(f, 0, sizeof *f);
	for (uint32_t i = 0; i < n && result == 0; i++)
		result = read_shard(&s[i], shards[i], e);
	if (result == 0) {
		qsort(s, n, sizeof *s, by_number);
		result = check(s, n, e);
	}
	if (result == 0)
		result = merge(s, n, directory, f, e);
	for (uint32_t i = 0; i < n; i++) {
		frontier_free(&s[i].frontier);
		free(s[i].run);
	}
	free(s);
	return result;
}

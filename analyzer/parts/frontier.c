/* SPDX-License-Identifier: MIT */
#include "parts/frontier.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Times are nobody else's business: the file is the same whoever has made it. */
static void write_status(const struct lp_status *s, FILE *to)
{
	struct lp_status plain = *s;
	const unsigned char *p = (const unsigned char *)&plain;

	plain.seconds = plain.cpu_seconds = 0;
	plain.pid = 0;
	fputs("status ", to);
	for (size_t i = 0; i < sizeof plain; i++)
		fprintf(to, "%02x", p[i]);
	putc('\n', to);
}

static int read_status(const char *text, struct lp_status *s)
{
	unsigned char *p = (unsigned char *)s;
	unsigned byte;

	for (size_t i = 0; i < sizeof *s; i++, text += 2) {
		if (sscanf(text, "%2x", &byte) != 1)
			return -1;
		p[i] = (unsigned char)byte;
	}
	return 0;
}

static void print(const struct frontier *f, FILE *to)
{
	fprintf(to,
		"frontier 1\nround %" PRIu64 "\nshard %" PRIu64 " %" PRIu64 " %d\ndrawn %" PRIu64
		"\nlearned %" PRIu64 " %" PRIu64 " %d %d\nkeep %s\n",
		f->round, f->shard, f->shards, f->shared, f->drawn, f->reused, f->sends,
		f->ends_watched, f->steered, f->keep);
	write_status(&f->status, to);
	livelocks_print(&f->livelocks, false, to);
	if (f->root)
		tree_write(f->root, to);
	else
		fputs("end\n", to);
}

int frontier_write(const char *directory, const struct frontier *f, struct error *e)
{
	char *fresh = xasprintf("%s/frontier.new", directory);
	char *path = xasprintf("%s/frontier", directory);
	FILE *to = fopen(fresh, "w");
	bool good = to != NULL;

	if (to) {
		print(f, to);
		good = !ferror(to) & (fflush(to) == 0) & (fsync(fileno(to)) == 0);
		good = fclose(to) == 0 && good;
	}
	if (!good || rename(fresh, path) < 0) {
		error_set(e, "%s: %s", path, strerror(errno));
		good = false;
	}
	free(fresh);
	free(path);
	return good ? 0 : -1;
}

static int parse(char *text, struct frontier *f, struct error *e)
{
	char *rest = text, *keep;
	int ends_watched, steered, shared, used = 0;

	if (sscanf(rest,
		   "frontier 1\nround %" SCNu64 "\nshard %" SCNu64 " %" SCNu64 " %d\ndrawn %" SCNu64
		   "\nlearned %" SCNu64 " %" SCNu64 " %d %d\n%n",
		   &f->round, &f->shard, &f->shards, &shared, &f->drawn, &f->reused, &f->sends,
		   &ends_watched, &steered, &used) != 9 ||
	    !used)
		return -1;
	f->shared = shared;
	f->ends_watched = ends_watched;
	f->steered = steered;
	rest += used;
	keep = strsep(&rest, "\n");
	if (strncmp(keep, "keep ", 5) != 0 || !rest || strncmp(rest, "status ", 7) != 0 ||
	    strcspn(rest, "\n") != 7 + 2 * sizeof f->status || read_status(rest + 7, &f->status) < 0)
		return -1;
	f->keep = xstrdup(keep + 5);
	strsep(&rest, "\n");
	while (rest && !strncmp(rest, "livelock ", 9))
		if (!livelocks_line(&f->livelocks, strsep(&rest, "\n")))
			return -1;
	if (!rest)
		return -1;
	if (!strncmp(rest, "end\n", 4))
		return 0;
	f->root = tree_read(&rest, e);
	return f->root ? 0 : -1;
}

int frontier_read(const char *directory, struct frontier *f, struct error *e)
{
	char *path = xasprintf("%s/frontier", directory);
	size_t size;
	char *text = read_file(path, &size, NULL);
	int result = 0;

	memset(f, 0, sizeof *f);
	if (!text)
		result = error_set(e,
				   "%s: %s; only a search that was made with -j or --shard can go on",
				   path, strerror(errno));
	else if (parse(text, f, e) < 0)
		result = error_set(e, "%s is damaged", path);
	if (result < 0)
		frontier_free(f);
	free(text);
	free(path);
	return result;
}

void frontier_free(struct frontier *f)
{
	tree_free(f->root);
	free(f->keep);
	livelocks_free(&f->livelocks);
	f->root = NULL;
	f->keep = NULL;
}

/* In place, for who has mapped it. */
int frontier_show(const char *directory, const struct lp_status *s, struct error *e)
{
	char *path = xasprintf("%s/status", directory);
	static char page[4096];
	FILE *file = fopen(path, "r+b");
	int result;

	if (!file)
		file = fopen(path, "w+b");
	memcpy(page, s, sizeof *s);
	result = file && fwrite(page, sizeof page, 1, file) == 1 && fclose(file) == 0
			 ? 0
			 : error_set(e, "%s: %s", path, strerror(errno));
	free(path);
	return result;
}

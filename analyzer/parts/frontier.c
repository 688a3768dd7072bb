/* SPDX-License-Identifier: MIT */
#include "parts/frontier.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGEST_SHARDS 1000000

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

/* Which units a job has the tree says. */
static void print_jobs(const struct jobs *jobs, FILE *to)
{
	for (uint32_t i = 0; i < jobs->n; i++) {
		const struct job *job = &jobs->list[i];

		for (uint32_t k = 0; k < job->nunits; k++)
			job->units[k]->given = (uint8_t)(i + 1);
		if (job->draws)
			fprintf(to, "draws %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", job->budget, job->range.first,
				job->range.n);
		else if (job->nunits)
			fprintf(to, "job %" PRIu64 "\n", job->budget);
	}
}

static void print(const struct frontier *f, FILE *to)
{
	fprintf(to,
		"frontier 2\njoined %" PRIu64 "\nshard %" PRIu64 " %" PRIu64 " %d\ndrawn %" PRIu64
		"\nlearned %" PRIu64 "\nleaks %d\ninputs %s\nkeep %s\n",
		f->joined, f->shard, f->shards, f->shared, f->drawn, f->reused, f->leaks, f->inputs, f->keep);
	write_status(&f->status, to);
	for (const char *line = f->steering; line && *line; line += strcspn(line, "\n") + 1)
		fprintf(to, "steering %.*s\n", (int)strcspn(line, "\n"), line);
	for (uint32_t i = 0; i < f->left.n; i++)
		fprintf(to, "range %" PRIu64 " %" PRIu64 "\n", f->left.list[i].first, f->left.list[i].n);
	livelocks_print(&f->livelocks, to);
	print_jobs(&f->jobs, to);
	if (f->root)
		tree_write(f->root, to);
	else
		fputs("end\n", to);
}

void frontier_left(struct frontier *f, uint64_t first, uint64_t n)
{
	VEC_GROW(f->left.list, f->left.n, f->left.capacity);
	f->left.list[f->left.n++] = (struct range){ first, n };
}

int frontier_write(const char *directory, const struct frontier *f, struct error *e)
{
	char *fresh = xasprintf("%s/frontier.new", directory);
	char *path = xasprintf("%s/frontier", directory);
	FILE *to = fopen(fresh, "w");
	bool good = to != NULL;

	if (to) {
		print(f, to);
		good = fflush(to) == 0 && fsync(fileno(to)) == 0 && !ferror(to);
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

/* The shard I of N that --shard=I/N says; all: 0 of 0. */
static bool is_shard(const struct frontier *f)
{
	return f->shards ? f->shard && f->shard <= f->shards && f->shards <= LARGEST_SHARDS
			 : !f->shard && !f->shared;
}

static int read_head(char **rest, struct frontier *f)
{
	unsigned shared, leaks;
	int used = 0;
	char *keep;

	if (sscanf(*rest,
		   "frontier 2\njoined %" SCNu64 "\nshard %" SCNu64 " %" SCNu64 " %u\ndrawn %" SCNu64
		   "\nlearned %" SCNu64 "\nleaks %u\ninputs %32[0-9a-f]\n%n",
		   &f->joined, &f->shard, &f->shards, &shared, &f->drawn, &f->reused, &leaks, f->inputs, &used) != 8 ||
	    !used || shared > 1 || leaks > 1)
		return -1;
	f->shared = shared;
	f->leaks = leaks;
	*rest += used;
	keep = strsep(rest, "\n");
	if (!is_shard(f) || strncmp(keep, "keep ", 5) != 0 || !*rest)
		return -1;
	f->keep = xstrdup(keep + 5);
	return 0;
}

static void add_steering(struct frontier *f, const char *line)
{
	char *more = xasprintf("%s%s\n", f->steering ? f->steering : "", line);

	free(f->steering);
	f->steering = more;
}

static bool add_job(struct frontier *f, const struct job *job)
{
	if (f->jobs.n == JOBS || !job->budget || (job->draws && !job->range.n))
		return false;
	f->jobs.list[f->jobs.n] = *job;
	f->jobs.list[f->jobs.n].number = f->joined + f->jobs.n;
	f->jobs.n++;
	return true;
}

static bool read_job(const char *line, struct frontier *f)
{
	struct job job = { 0 };
	int used = 0;

	if (sscanf(line, "job %" SCNu64 "%n", &job.budget, &used) == 1 && !line[used])
		return add_job(f, &job);
	job.draws = sscanf(line, "draws %" SCNu64 " %" SCNu64 " %" SCNu64 "%n", &job.budget, &job.range.first,
			   &job.range.n, &used) == 3 &&
		    !line[used];
	return job.draws && add_job(f, &job);
}

/* Their units are in the same order as when they were given out, for branches are only added behind others. */
static bool find_given(struct frontier *f)
{
	struct units units = { 0 };
	bool good = true;

	if (f->root)
		tree_units(f->root, BRANCH_LEFT, &units);
	for (uint32_t i = 0; i < units.n && good; i++) {
		unsigned given = units.list[i]->given;
		struct job *job = given && given <= f->jobs.n ? &f->jobs.list[given - 1] : NULL;

		good = !given || (job && !job->draws);
		if (job && good) {
			job->units = xreallocarray(job->units, job->nunits + 1UL, sizeof *job->units);
			job->units[job->nunits++] = units.list[i];
		}
	}
	for (uint32_t i = 0; i < f->jobs.n; i++)
		good &= f->jobs.list[i].draws || f->jobs.list[i].nunits;
	free(units.list);
	return good;
}

/* What there may be any number of. */
static bool read_line(const char *line, struct frontier *f)
{
	struct range r;
	int used = 0;

	if (!strncmp(line, "steering ", 9))
		add_steering(f, line + 9);
	else if (sscanf(line, "range %" SCNu64 " %" SCNu64 "%n", &r.first, &r.n, &used) == 2 &&
		 !line[used] && r.n)
		frontier_left(f, r.first, r.n);
	else
		return livelocks_line(&f->livelocks, line) || read_job(line, f);
	return true;
}

static int parse(char *text, struct frontier *f, struct error *e)
{
	char *rest = text;

	if (read_head(&rest, f) < 0 || strncmp(rest, "status ", 7) != 0 ||
	    strcspn(rest, "\n") != 7 + 2 * sizeof f->status || read_status(rest + 7, &f->status) < 0)
		return -1;
	strsep(&rest, "\n");
	while (rest && *rest > '9')
		if (!strncmp(rest, "end\n", 4))
			return find_given(f) ? 0 : -1;
		else if (!read_line(strsep(&rest, "\n"), f))
			return -1;
	if (!rest)
		return -1;
	f->root = tree_read(&rest, e);
	return f->root && find_given(f) ? 0 : -1;
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

void frontier_times(struct frontier *f, const struct lp_status *s)
{
	f->status.seconds = s->seconds;
	f->status.cpu_seconds = s->cpu_seconds;
}

void frontier_forget(struct frontier *f, uint32_t number)
{
	struct job *job = &f->jobs.list[number];

	for (uint32_t i = 0; i < job->nunits; i++)
		job->units[i]->given = 0;
	free(job->units);
	free(job->directory);
	memmove(job, job + 1, (--f->jobs.n - number) * sizeof *job);
}

void frontier_take_back(struct frontier *f)
{
	while (f->jobs.n) {
		const struct job *job = f->jobs.list;

		if (job->draws)
			frontier_left(f, job->range.first, job->range.n);
		frontier_forget(f, 0);
	}
}

void frontier_free(struct frontier *f)
{
	frontier_take_back(f);
	tree_free(f->root);
	free(f->keep);
	free(f->steering);
	free(f->left.list);
	livelocks_free(&f->livelocks);
	*f = (struct frontier){ 0 };
}

static void add_input(struct digest *d, const char *directory, const char *path)
{
	char *there = directory && *path != '/' ? xasprintf("%s/%s", directory, path) : xstrdup(path);

	digest_file(d, there);
	free(there);
}

void inputs_digest(char *const *argv, const char *directory, const char *input, char text[DIGEST_SIZE])
{
	struct digest d = DIGEST_NEW;

	if (input)
		add_input(&d, directory, input);
	for (size_t i = 1; argv[0] && argv[i]; i++) {
		const char *value = strchr(argv[i], '=');

		digest_text(&d, argv[i]);
		add_input(&d, directory, argv[i]);
		if (value)
			add_input(&d, directory, value + 1);
	}
	digest_print(&d, text);
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

/* SPDX-License-Identifier: MIT
 *
 * Runs the target under the runtime alone, without the command, and reads what it leaves: the
 * records of its executions and the status of the run.
 */
#include "explore.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_INHERITED 256

int compare_records(const void *a, const void *b)
{
	return memcmp(a, b, sizeof(struct record));
}

/* 0 processes: the runtime alone. */
struct way {
	const char *search;
	unsigned executions, processes;
};

static const char *policy(const struct setting *s, const struct program *p)
{
	return s->policy ? s->policy : p->quarantine ? "quarantine" : "thread";
}

static void command(const struct setting *s, const struct program *p, const struct way *way,
		    const char *text, const char *file)
{
	char search[40], executions[40], parts[20], directory[400], malloc[40], jobs[20];

	snprintf(search, sizeof search, "--search=%s", way->search);
	snprintf(executions, sizeof executions, "--max-executions=%u", s->max_executions);
	snprintf(parts, sizeof parts, "%u", way->executions);
	snprintf(directory, sizeof directory, "--output=%s/run", s->directory);
	snprintf(malloc, sizeof malloc, "--malloc=%s", policy(s, p));
	snprintf(jobs, sizeof jobs, "-j%u", way->processes);
	setenv("LINCHPIN_TEST_PART", parts, 1);
	unsetenv("LD_PRELOAD");
	execl(s->command, s->command, "run", "-q", "--max-time=0", "--check=none",
	      p->spurious ? "--spurious" : "--quiet", "--instrument=none", "--prove=0", jobs, search, executions, malloc, directory, "--",
	      s->target, text, file, NULL);
}

static void child(const struct setting *s, const struct program *p, const struct way *way,
		  const char *file)
{
	char text[2 * sizeof *p + 1], number[20], directory[400], path[400];
	int fd;

	for (size_t i = 0; i < sizeof *p; i++)
		sprintf(text + 2 * i, "%02x", ((const uint8_t *)p)[i]);
	snprintf(number, sizeof number, "%u", s->max_executions);
	snprintf(directory, sizeof directory, "%s/run", s->directory);
	snprintf(path, sizeof path, "%s/log", s->directory);
	setenv("LD_PRELOAD", s->runtime, 1);
	setenv("LINCHPIN_DIR", directory, 1);
	setenv("LINCHPIN_SEARCH", way->search, 1);
	setenv("LINCHPIN_MAX_EXECUTIONS", number, 1);
	setenv("LINCHPIN_MAX_TIME", "0", 1);
	setenv("LINCHPIN_CHECK", "none", 1);
	setenv("LINCHPIN_EQUIVALENCE", s->equivalence ? s->equivalence : "mazurkiewicz", 1);
	setenv("LINCHPIN_AUDIT", s->audit ? "1" : "0", 1);
	setenv("LINCHPIN_MALLOC", policy(s, p), 1);
	setenv("LINCHPIN_SPURIOUS", p->spurious ? "1" : "0", 1);
	setenv("LINCHPIN_INSTRUMENT", "none", 1);
	setenv("LINCHPIN_REPORT", "0", 1);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	dup2(fd, 1);
	dup2(fd, 2);
	for (fd = 3; fd < MOST_INHERITED; fd++) /* which numbers are free is a part of what is compared */
		close(fd);
	if (way->processes)
		command(s, p, way, text, file);
	else
		execl(s->target, s->target, text, file, NULL);
	_exit(127);
}

static bool read_status(struct explored *x, const struct setting *s)
{
	char path[400];
	ssize_t n;
	int fd;

	snprintf(path, sizeof path, "%s/run/status", s->directory);
	fd = open(path, O_RDONLY);
	n = fd < 0 ? -1 : read(fd, &x->status, sizeof x->status);
	if (fd >= 0)
		close(fd);
	return n == (ssize_t)sizeof x->status;
}

/* What is the same is kept once. */
static void keep(struct explored *x, const struct records *r)
{
	x->list = malloc((r->n + 1UL) * sizeof *x->list);
	memcpy(x->list, r->list, r->n * sizeof *x->list);
	qsort(x->list, r->n, sizeof *x->list, compare_records);
	for (uint32_t i = 0; i < r->n; i++)
		if (!x->n || compare_records(&x->list[x->n - 1], &x->list[i]))
			x->list[x->n++] = x->list[i];
}

static void explore_this_way(struct explored *x, const struct setting *s, const struct program *p,
			     const struct way *way)
{
	uint32_t capacity = 2 * s->max_executions + 1000;
	size_t size = sizeof(struct records) + capacity * sizeof(struct record);
	struct records *r;
	char file[400];
	int fd, status = -1;
	pid_t pid;

	memset(x, 0, sizeof *x);
	for (const char *const *name = (const char *const[]){ "trace", "status", "run", "modules", NULL };
	     *name; name++) {
		snprintf(file, sizeof file, "%s/run/%s", s->directory, *name);
		unlink(file);
	}
	snprintf(file, sizeof file, "%s/records", s->directory);
	fd = open(file, O_RDWR | O_CREAT | O_TRUNC, 0666);
	if (fd < 0 || ftruncate(fd, (off_t)size)) {
		perror(file);
		exit(2);
	}
	r = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	r->capacity = capacity;
	fflush(stdout);
	pid = fork();
	if (pid == 0)
		child(s, p, way, file);
	waitpid(pid, &status, 0);
	x->failed = !WIFEXITED(status) || WEXITSTATUS(status) > (way->processes ? 1 : 0) ||
		    !read_status(x, s);
	keep(x, r);
	munmap(r, size);
}

void explore(struct explored *x, const struct setting *s, const struct program *p,
	     const char *search)
{
	explore_this_way(x, s, p, &(struct way){ .search = search });
}

void explore_in_parts(struct explored *x, const struct setting *s, const struct program *p,
		      const char *search, unsigned executions, unsigned processes)
{
	explore_this_way(x, s, p, &(struct way){ search, executions, processes });
}

void explored_free(struct explored *x)
{
	free(x->list);
	memset(x, 0, sizeof *x);
}

bool explored_has(const struct explored *x, const struct record *r)
{
	return x->n && bsearch(r, x->list, x->n, sizeof *r, compare_records);
}

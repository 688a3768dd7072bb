/* SPDX-License-Identifier: MIT */
#include "parts/jobs.h"
#include "parts/left.h"
#include "run/files.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_ATTEMPTS 20

/* How a worker ends. */
enum { WORKER_DONE = 0, WORKER_KILLED = 1, WORKER_FAILED = 2 };

/* ---- directories ---- */

static char *parts_of(const char *directory)
{
	return xasprintf("%s/" LP_PARTS, directory);
}

static void remove_job(const char *directory)
{
	run_files_remove(directory);
	rmdir(directory);
}

/* It came to the end of its budget, and was not asked to end before. */
static bool ended_by_itself(const char *directory)
{
	struct lp_status s;

	return status_read(directory, &s, NULL) == 0 &&
	       (s.end == LP_END_EXECUTIONS || s.end == LP_END_COMPLETE || s.end == LP_END_FOUND);
}

/* Its directory, and the number of its job; NULL: there is no other one. */
static char *next_job(DIR *d, const char *parts, uint64_t *number)
{
	const struct dirent *entry;

	while ((entry = readdir(d)) != NULL)
		if (sscanf(entry->d_name, "%" SCNu64 ".", number) == 1)
			return xasprintf("%s/%s", parts, entry->d_name);
	return NULL;
}

static bool is_done(const char *directory)
{
	struct left left = { 0 };
	bool done = ended_by_itself(directory) && left_read(directory, &left, NULL) == 0;

	left_free(&left);
	return done;
}

void jobs_begin(const struct job_setting *s)
{
	char *parts = parts_of(s->launch->directory), *path;
	uint64_t number;
	DIR *d;

	mkdir(parts, 0777);
	d = opendir(parts);
	for (; d && (path = next_job(d, parts, &number)) != NULL; free(path))
		if (number < s->frontier->joined || !is_done(path))
			remove_job(path);
	if (d)
		closedir(d);
	free(parts);
}

void jobs_remove_joined(const struct job_setting *s)
{
	char *parts = parts_of(s->launch->directory), *path;
	DIR *d = opendir(parts);
	uint64_t number;

	for (; d && (path = next_job(d, parts, &number)) != NULL; free(path))
		if (number < s->frontier->joined)
			remove_job(path);
	if (d)
		closedir(d);
	free(parts);
}

/* ---- workers ---- */

/* The first one shows what the program prints. */
static char *describe(const struct job *job, const struct job_setting *s)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (!to)
		return NULL;
	fprintf(to, "part 1\nbudget %" PRIu64 "\n", job->budget);
	if (!job->number && job->attempts <= 1)
		fputs("shows\n", to);
	if (job->draws)
		fprintf(to, "draws %" PRIu64 "\n", job->range.first);
	if (job->livelocks)
		livelocks_print(&s->frontier->livelocks, to);
	for (uint32_t i = 0; i < job->nunits; i++)
		tree_print_unit(job->units[i], i ? job->units[i - 1] : NULL, to);
	fclose(to);
	return text;
}

/* The bounds may be others now, and with them what is in the job of this number. */
static bool is_the_same(const char *directory, const char *description)
{
	size_t size;
	char *text = read_file_in(directory, "part", &size, NULL);
	bool same = text && description && !strcmp(text, description);

	free(text);
	return same;
}

void jobs_find(struct job *job, const struct job_setting *s)
{
	char *parts = parts_of(s->launch->directory), *path, *description = NULL;
	DIR *d = opendir(parts);
	uint64_t number;

	for (; d && (path = next_job(d, parts, &number)) != NULL; free(path)) {
		if (number != job->number)
			continue;
		if (!description)
			description = describe(job, s);
		if (job->state == JOB_WAITING && is_the_same(path, description)) {
			job->state = JOB_DONE;
			job->directory = xstrdup(path);
		} else {
			remove_job(path);
		}
	}
	if (d)
		closedir(d);
	free(description);
	free(parts);
}

static int write_description(const struct job *job, const struct job_setting *s, const char *path)
{
	char *text = describe(job, s);
	FILE *to = text ? fopen(path, "w") : NULL;
	int result = to && fputs(text, to) >= 0 ? 0 : -1;

	if (to && fclose(to) != 0)
		result = -1;
	free(text);
	return result;
}

static int work(const struct job *job, const struct job_setting *s)
{
	struct launch launch = *s->launch;
	char *part = xasprintf("%s/part", job->directory);
	char *steering = xasprintf("%s/steering", s->launch->directory);
	struct error e;
	int status;

	if (write_description(job, s, part) < 0) {
		error_set(&e, "%s: %s", part, strerror(errno));
		error_print(&e);
		return WORKER_FAILED;
	}
	launch.directory = job->directory;
	launch.part = part;
	launch.steering = s->frontier->steering ? steering : NULL;
	launch.reused = s->frontier->reused;
	launch.search = true;
	launch.progress = false;
	launch.judged = NULL;
	if (launch_run(&launch, &status, &e) < 0) {
		error_print(&e);
		return WORKER_FAILED;
	}
	if (!WIFEXITED(status))
		return WORKER_KILLED;
	return WEXITSTATUS(status) ? WORKER_FAILED : WORKER_DONE;
}

static void start(struct job *job, const struct job_setting *s, struct error *e)
{
	pid_t parent = getpid();

	free(job->directory);
	job->directory = xasprintf("%s/" LP_PARTS "/%" PRIu64 ".%d-%u", s->launch->directory, job->number,
				   (int)parent, ++job->attempts);
	if (mkdir(job->directory, 0777) < 0) {
		job->state = JOB_FAILED;
		error_set(e, "%s: %s", job->directory, strerror(errno));
		return;
	}
	fflush(NULL);
	job->pid = fork();
	job->state = job->pid < 0 ? JOB_FAILED : JOB_RUNS;
	if (job->pid < 0)
		error_set(e, "fork: %s", strerror(errno));
	if (job->pid)
		return;
	if (s->lock >= 0)
		close(s->lock); /* it outlives this process otherwise */
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	sigprocmask(SIG_SETMASK, &s->mask, NULL);
	if (getppid() != parent)
		_exit(WORKER_KILLED);
	_exit(work(job, s));
}

/* A signal has come that asks all to end, and is not seen yet. */
static bool asked_to_end(void)
{
	sigset_t asked, pending;

	progress_signals(&asked);
	sigdelset(&asked, SIGCHLD);
	sigpending(&pending);
	sigandset(&pending, &pending, &asked);
	return !sigisemptyset(&pending);
}

/* Its program ends early, too, and hands back what it has not done: how much that is depends on the moment. */
static bool was_interrupted(const struct job *job, int status)
{
	struct lp_status s;

	return WIFSIGNALED(status) ||
	       (status_read(job->directory, &s, NULL) == 0 && s.end == LP_END_INTERRUPTED);
}

/* stop: that is what all were asked for. */
static void ended(struct job *job, int status, bool stop, struct error *e)
{
	bool left = left_is_there(job->directory) &&
		    (stop || !was_interrupted(job, status) || asked_to_end());

	job->state = JOB_DONE;
	if (WIFEXITED(status) && WEXITSTATUS(status) == WORKER_FAILED) {
		job->state = JOB_FAILED;
		error_set(e, "the exploration of a part ended with an error");
	} else if (!left && job->attempts < MOST_ATTEMPTS) {
		remove_job(job->directory);
		job->state = JOB_WAITING;
	} else if (!left) {
		job->state = JOB_FAILED;
		error_set(e, "the exploration of a part was killed %d times: is memory short?",
			  MOST_ATTEMPTS);
	}
}

bool jobs_run(const struct job_setting *s, bool stop, struct error *e)
{
	struct jobs *j = &s->frontier->jobs;
	uint64_t running = 0;
	bool waiting = false;
	int status;

	for (uint32_t i = 0; i < j->n; i++) {
		struct job *job = &j->list[i];

		if (job->state == JOB_RUNS && waitpid(job->pid, &status, WNOHANG) == job->pid)
			ended(job, status, stop, e);
		if (job->state == JOB_FAILED)
			stop = true;
		running += job->state == JOB_RUNS;
	}
	for (uint32_t i = 0; i < j->n && !stop; i++) {
		struct job *job = &j->list[i];

		if (job->state != JOB_WAITING)
			continue;
		waiting = running >= s->workers;
		if (waiting)
			break;
		start(job, s, e);
		running++;
	}
	return !running && !waiting;
}

void jobs_signal(const struct job_setting *s, int signal, int value)
{
	const struct jobs *j = &s->frontier->jobs;
	const union sigval v = { .sival_int = value };

	for (uint32_t i = 0; i < j->n; i++)
		if (j->list[i].state == JOB_RUNS)
			sigqueue(j->list[i].pid, signal, v);
}

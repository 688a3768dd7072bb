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

void jobs_find_done(struct jobs *j, const struct job_setting *s)
{
	char *parts = parts_of(s->launch->directory);
	DIR *d = opendir(parts);
	const struct dirent *entry;

	mkdir(parts, 0777);
	while (d && (entry = readdir(d)) != NULL) {
		char *path = xasprintf("%s/%s", parts, entry->d_name);
		uint64_t round, number;
		struct left left = { 0 };

		if (entry->d_name[0] != '.' &&
		    (sscanf(entry->d_name, "%" SCNu64 ".%" SCNu64 ".", &round, &number) != 2 ||
		     round != s->frontier->round || number >= j->n || j->list[number].directory ||
		     !ended_by_itself(path) || left_read(path, &left, NULL) < 0)) {
			remove_job(path);
		} else if (entry->d_name[0] != '.') {
			j->list[number].state = JOB_DONE;
			j->list[number].directory = xstrdup(path);
		}
		left_free(&left);
		free(path);
	}
	if (d)
		closedir(d);
	free(parts);
}

void jobs_forget(struct jobs *j, bool keep)
{
	for (uint32_t i = 0; i < j->n; i++) {
		if (j->list[i].directory && !keep)
			remove_job(j->list[i].directory);
		free(j->list[i].directory);
		free(j->list[i].units);
	}
	free(j->list);
	*j = (struct jobs){ 0 };
}

/* ---- workers ---- */

static int describe(const struct job *job, const struct job_setting *s, bool shows, const char *path)
{
	const struct frontier *f = s->frontier;
	FILE *to = fopen(path, "w");

	if (!to)
		return -1;
	fprintf(to, "part 1\nbudget %" PRIu64 "\n", job->budget);
	if (shows)
		fputs("shows\n", to);
	if (job->draws)
		fprintf(to, "draws %" PRIu64 "\n", job->range.first);
	if (job->livelocks)
		livelocks_print(&f->livelocks, to);
	for (uint32_t i = 0; i < job->nunits; i++)
		tree_print_unit(job->units[i], i ? job->units[i - 1] : NULL, to);
	return fclose(to) == 0 ? 0 : -1;
}

static int work(const struct job *job, const struct job_setting *s, bool shows)
{
	struct launch launch = *s->launch;
	char *part = xasprintf("%s/part", job->directory);
	char *steering = xasprintf("%s/steering", s->launch->directory);
	struct error e;
	int status;

	if (describe(job, s, shows, part) < 0) {
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

static void start(struct job *job, uint32_t number, const struct job_setting *s, struct error *e)
{
	pid_t parent = getpid();

	free(job->directory);
	job->directory = xasprintf("%s/" LP_PARTS "/%" PRIu64 ".%" PRIu32 ".%d-%u", s->launch->directory,
				   s->frontier->round, number, (int)parent, ++job->attempts);
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
	_exit(work(job, s, !s->frontier->round && !number && job->attempts == 1));
}

static void ended(struct job *job, int status, struct error *e)
{
	bool left = left_is_there(job->directory);

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

bool jobs_run(struct jobs *j, const struct job_setting *s, bool stop, struct error *e)
{
	uint64_t running = 0;
	bool waiting = false;
	int status;

	for (uint32_t i = 0; i < j->n; i++) {
		struct job *job = &j->list[i];

		if (job->state == JOB_RUNS && waitpid(job->pid, &status, WNOHANG) == job->pid)
			ended(job, status, e);
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
		start(job, i, s, e);
		running++;
	}
	return !running && !waiting;
}

void jobs_signal(const struct jobs *j, int signal, int value)
{
	const union sigval v = { .sival_int = value };

	for (uint32_t i = 0; i < j->n; i++)
		if (j->list[i].state == JOB_RUNS)
			sigqueue(j->list[i].pid, signal, v);
}

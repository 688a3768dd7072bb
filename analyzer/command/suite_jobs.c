/* SPDX-License-Identifier: MIT */
#include "command/suite_jobs.h"
#include "base/budget.h"
#include "command/spawn.h"
#include "launch/launch.h"
#include "nightly/result.h"
#include "run/files.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* An exploration that has not ended by then hangs: so many times its bound, and so many seconds. */
#define HANG_FACTOR  3
#define HANG_SECONDS 120

struct job {
	pid_t pid; /* 0: none */
	const struct suite_test *test;
	char *directory, *json, *log;
	double started, patience; /* patience: INFINITY is without end */
	bool hung;
	struct record record;
};

/* The options of a test, the budget first, so that an option can say something else. */
static void add_options(const struct suite_test *t, struct words *to)
{
	if (t->budget >= 0)
		words_add(to, xasprintf("--max-time=%g", t->budget));
	words_copy(to, &t->options);
	words_add(to, xstrdup("--"));
	words_copy(to, &t->command);
}

char *suite_command(const struct suite_test *t)
{
	struct words all = { 0 };
	char *text;

	words_add(&all, xstrdup("linchpin"));
	words_add(&all, xstrdup("run"));
	add_options(t, &all);
	text = words_join(&all);
	words_free(&all);
	return text;
}

static double bound_of(const struct suite_test *t)
{
	double bound = t->budget >= 0 ? t->budget : settings_default.max_time;

	for (uint32_t i = 0; i < t->options.n; i++)
		if (!strncmp(t->options.list[i], "--max-time=", 11))
			bound = atof(t->options.list[i] + 11);
	return bound > 0 ? HANG_FACTOR * bound + HANG_SECONDS : INFINITY;
}

static void start(struct job *j, const struct suite_test *t)
{
	struct words argv = { 0 };

	j->test = t;
	j->started = now_seconds();
	j->patience = bound_of(t);
	j->hung = false;
	j->record = (struct record){ .test = xstrdup(t->name), .command = suite_command(t) };
	j->record.build = result_build(t, &j->record.build_id);
	unlink(j->json);
	words_add(&argv, xstrdup("linchpin"));
	words_add(&argv, xstrdup("run"));
	words_add(&argv, xstrdup("-q"));
	words_add(&argv, xasprintf("--output=%s", j->directory));
	words_add(&argv, xasprintf("--json=%s", j->json));
	add_options(t, &argv);
	words_add(&argv, NULL);
	j->pid = spawn_logged("/proc/self/exe", argv.list, j->log);
	if (j->pid < 0)
		j->pid = 0;
	words_free(&argv);
}

static double seconds_of(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec * 1e-6;
}

static void read_record(struct job *j, int status, const struct rusage *used)
{
	struct record *r = &j->record;
	struct timespec t;

	result_read(j->json, j->log, status, r);
	if (j->hung) {
		free(r->message);
		r->message = xasprintf("it had not ended after %.0f seconds", j->patience);
		r->status = STATUS_FAILED;
	}
	clock_gettime(CLOCK_REALTIME, &t);
	r->ended = (double)t.tv_sec;
	r->seconds = now_seconds() - j->started;
	r->processor = seconds_of(&used->ru_utime) + seconds_of(&used->ru_stime);
	result_mark_known(j->test, r);
	run_files_remove(j->directory);
	unlink(j->json);
	unlink(j->log);
}

static bool asked_to_end(void)
{
	return isfinite(budget_left());
}

/* Waits for any of them; NULL: none runs any more. */
static struct job *wait_for(struct job *list, unsigned n, int *status, struct rusage *used)
{
	bool told = false;

	for (;;) {
		bool any = false;

		for (unsigned i = 0; i < n; i++) {
			struct job *j = &list[i];

			if (!j->pid)
				continue;
			any = true;
			if (wait4(j->pid, status, WNOHANG, used) == j->pid) {
				j->pid = 0;
				return j;
			}
			if (asked_to_end() && !told)
				kill(j->pid, SIGTERM);
			if (now_seconds() > j->started + j->patience) {
				kill(j->pid, j->hung ? SIGKILL : SIGTERM);
				j->hung = true;
				j->started = now_seconds() - j->patience + 5;
			}
		}
		if (!any)
			return NULL;
		told |= asked_to_end();
		usleep(5000);
	}
}

bool suite_jobs_run(const struct suite_jobs *jobs)
{
	struct job *list = xcalloc(jobs->jobs, sizeof *list);
	uint32_t next = 0, done = 0;
	bool more = true;

	for (unsigned i = 0; i < jobs->jobs; i++) {
		list[i].directory = xasprintf("%s/run%u", jobs->directory, i);
		list[i].json = xasprintf("%s/run%u.json", jobs->directory, i);
		list[i].log = xasprintf("%s/run%u.log", jobs->directory, i);
	}
	for (;;) {
		struct rusage used = { 0 };
		struct job *j;
		int status = 127 << 8;

		more = more && !asked_to_end();
		for (unsigned i = 0; i < jobs->jobs && more && next < jobs->n; i++)
			if (!list[i].pid)
				start(&list[i], jobs->tests[next++]);
		j = wait_for(list, jobs->jobs, &status, &used);
		if (!j)
			break;
		/* What a signal has cut short says nothing. */
		if (!asked_to_end()) {
			read_record(j, spawn_status(status), &used);
			more &= jobs->done(j->test, &j->record, jobs->data) == 0;
			done++;
		}
		run_files_remove(j->directory);
		record_free(&j->record);
	}
	for (unsigned i = 0; i < jobs->jobs; i++) {
		rmdir(list[i].directory);
		unlink(list[i].json);
		unlink(list[i].log);
		free(list[i].directory);
		free(list[i].json);
		free(list[i].log);
	}
	free(list);
	return done == jobs->n;
}

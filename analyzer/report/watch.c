/* SPDX-License-Identifier: MIT */
#include "report/watch.h"
#include "base/budget.h"
#include "judge/follow.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Seconds: of a search that ends before, the report follows at once. */
#define PRINT_AFTER 1

#define PERIOD_NS 5000000L
#define PATIENCE  400 /* periods */

struct watcher {
	const struct watch_options *options;
	bool printed;
};

/* In one write, and in place of the line of progress. */
static void print_first(void *data, struct analysis *a, const struct finding *f)
{
	struct watcher *w = data;
	const char *line = isatty(STDERR_FILENO) ? "\r\033[K" : "";
	char *text = NULL;
	size_t size;
	FILE *out = w->options->print && !w->printed ? open_memstream(&text, &size) : NULL;

	if (!out)
		return;
	w->printed = true;
	fputs(line, out);
	report_first(out, a, f, w->options->report, w->options->shown);
	fputs("linchpin: the search goes on; Ctrl-C ends it with a report\n", out);
	fclose(out);
	fputs(text, stderr);
	fflush(stderr);
	free(text);
}

static void watch(const struct watch_options *o, volatile struct judged *judged)
{
	struct watcher w = { .options = o };
	const struct follow_options follow_options = {
		.analysis = { .check = o->check, .specification = o->report->specification },
		.delay = o->stop_at ? 0 : PRINT_AFTER,
		.confirm = o->stop_at ? o->stop_at : o->print ? 1 : 0,
		.confirmed = print_first,
		.data = &w,
	};

	budget_start(0);
	progress_silent();
	follow(o->directory, &follow_options, judged);
}

void watch_begin(struct watch *w, const struct watch_options *options)
{
	void *shared = mmap(NULL, sizeof *w->judged, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t parent = getpid();

	*w = (struct watch){ .pid = -1 };
	if (shared == MAP_FAILED)
		return;
	fflush(NULL);
	w->pid = fork();
	if (w->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (getppid() == parent)
			watch(options, shared);
		_exit(0);
	}
	if (w->pid > 0)
		w->judged = shared;
	else
		munmap(shared, sizeof *w->judged);
}

/* It ends its own executions, and removes what they have left, before it ends. */
void watch_end(struct watch *w)
{
	static const struct timespec period = { .tv_nsec = PERIOD_NS };
	bool ended = false;

	if (!w->judged)
		return;
	kill(w->pid, SIGTERM);
	for (int i = 0; i < PATIENCE && !ended; i++) {
		ended = waitpid(w->pid, NULL, WNOHANG) != 0;
		if (!ended)
			nanosleep(&period, NULL);
	}
	if (!ended && kill(w->pid, SIGKILL) == 0)
		waitpid(w->pid, NULL, 0);
	munmap((void *)w->judged, sizeof *w->judged);
	w->judged = NULL;
}

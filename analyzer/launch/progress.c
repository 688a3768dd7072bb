/* SPDX-License-Identifier: MIT */
#include "launch/progress.h"
#include "base/budget.h"
#include "run/outcome.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PERIOD_NS 100000000L

/* Seconds of the budget for what comes after the program was asked to end: that it does so, and that
 * it is reported. */
#define RESERVED 0.5

static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP, SIGALRM };

void progress_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	for (size_t i = 0; i < sizeof stop_signals / sizeof *stop_signals; i++)
		sigaddset(set, stop_signals[i]);
}

static const struct lp_status *map_status(const char *directory)
{
	char *path = xasprintf("%s/status", directory);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *p = MAP_FAILED;
	struct stat st;

	free(path);
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof(struct lp_status))
		p = mmap(NULL, sizeof(struct lp_status), PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

static int check_status(const struct lp_status *s, const char *directory, struct error *e)
{
	if (s->magic != LP_STATUS_MAGIC)
		return error_set(e, "%s/status is not the status of an exploration", directory);
	if (s->version != LP_RUN_VERSION)
		return error_set(e, "%s was written by another version of linchpin (%" PRIu32 ")",
				 directory, s->version);
	return 0;
}

int status_read(const char *directory, struct lp_status *s, struct error *e)
{
	const struct lp_status *mapped = map_status(directory);

	if (!mapped)
		return error_set(e, "%s/status: %s", directory,
				 errno == ENOENT ? strerror(errno) : "cannot be read");
	*s = *mapped;
	munmap((void *)mapped, sizeof *mapped);
	return check_status(s, directory, e);
}

void progress_line(const struct lp_status *s, char *line, size_t size)
{
	uint64_t bad = 0;
	double rate = s->seconds > 0 ? (double)s->executions / s->seconds : 0;
	char estimate[32] = "";

	for (unsigned kind = 0; kind < LP_OUT_COUNT; kind++) {
		if (outcome_is_error(kind, 1))
			bad += s->outcomes[kind];
	}
	if (s->estimate >= 0)
		snprintf(estimate, sizeof estimate, ", about %.0f %%", s->estimate * 100);
	snprintf(line, size,
		 "%" PRIu64 " %s (%.0f/s), %" PRIu64 " %s, %" PRIu64 " with errors%s, %.1f s",
		 s->executions, plural(s->executions, "execution", "executions"), rate, s->classes,
		 plural(s->classes, "class", "classes"), bad, estimate, s->seconds);
}

static void draw(const struct lp_status *mapped)
{
	struct lp_status now = *mapped;
	struct winsize window;
	char line[256];
	size_t width = sizeof line;

	if (now.magic != LP_STATUS_MAGIC)
		return;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 &&
	    window.ws_col < sizeof line)
		width = window.ws_col;
	progress_line(&now, line, width);
	fprintf(stderr, "\r%s\033[K", line);
	fflush(stderr);
}

/* It asks a search to end; what is done for a report goes on for a moment. A signal from the terminal
 * has reached the whole process group already. */
static void on_stop(const siginfo_t *info, pid_t pid, bool search)
{
	if (info->si_signo == SIGCHLD)
		return;
	if (!search)
		budget_ask();
	else if (info->si_code != SI_KERNEL)
		kill(pid, info->si_signo == SIGALRM ? SIGTERM : info->si_signo);
}

int progress_wait(pid_t pid, const char *directory, bool show, bool search, int *status,
		  struct error *e)
{
	static const struct timespec period = { .tv_nsec = PERIOD_NS };
	const struct lp_status *mapped = NULL;
	sigset_t set;
	pid_t ended;
	bool drawn = false, over = false;

	progress_signals(&set);
	while ((ended = waitpid(pid, status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
		siginfo_t info;

		if (sigtimedwait(&set, &info, show || !search ? &period : NULL) > 0) {
			on_stop(&info, pid, search);
			continue;
		}
		if (!search && !over && budget_left() < RESERVED) {
			over = true;
			kill(pid, SIGTERM);
		}
		if (show && !mapped)
			mapped = map_status(directory);
		if (show && mapped) {
			draw(mapped);
			drawn = true;
		}
	}
	if (drawn)
		fputs("\r\033[K", stderr);
	if (mapped)
		munmap((void *)mapped, sizeof *mapped);
	return ended < 0 ? error_set(e, "waiting for the program: %s", strerror(errno)) : 0;
}

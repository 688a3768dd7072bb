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

static bool silent;

void progress_signals(sigset_t *set)
{
	sigemptyset(set);
	sigaddset(set, SIGCHLD);
	budget_signals_add(set);
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

/* Violations as far as they are known: all that were judged, or without a judge those that show in how
 * executions end. */
static char *wrong_so_far(const struct lp_status *s, const struct judged *judged)
{
	uint64_t bad = 0;

	if (judged && judged->classes < s->classes)
		return xasprintf("%" PRIu64 " judged, %" PRIu64 " wrong", judged->classes,
				 judged->wrong);
	if (judged)
		return xasprintf("%" PRIu64 " wrong", judged->wrong);
	for (unsigned kind = 0; kind < LP_OUT_COUNT; kind++) {
		if (outcome_is_error(kind, 1))
			bad += s->outcomes[kind];
	}
	return xasprintf("%" PRIu64 " %s with an error", bad, plural(bad, "ends", "end"));
}

void progress_line(const struct lp_status *s, const struct judged *judged, char *line, size_t size)
{
	double rate = s->seconds > 0 ? (double)s->executions / s->seconds : 0;
	char estimate[32] = "", *wrong = wrong_so_far(s, judged);

	if (s->estimate >= 0)
		snprintf(estimate, sizeof estimate, ", about %.0f %%", s->estimate * 100);
	snprintf(line, size,
		 "%" PRIu64 " %s (%.0f/s), %" PRIu64 " %s, %s%s, %.1f s", s->executions,
		 plural(s->executions, "execution", "executions"), rate, s->classes,
		 plural(s->classes, "class", "classes"), wrong, estimate, s->seconds);
	free(wrong);
}

void progress_clear(void)
{
	fputs("\r\033[K", stderr);
}

void progress_draw(const struct progress *p, const struct lp_status *s)
{
	struct judged judged = { 0 };
	struct lp_status now = *s;
	struct winsize window;
	char line[256];
	size_t width = sizeof line, used = 0;

	if (now.magic != LP_STATUS_MAGIC)
		return;
	if (p->judged)
		judged = *p->judged;
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 &&
	    window.ws_col < sizeof line)
		width = window.ws_col;
	if (p->what)
		used = (size_t)snprintf(line, width, "%s: ", p->what);
	if (used < width)
		progress_line(&now, p->judged ? &judged : NULL, line + used, width - used);
	fprintf(stderr, "\r%s\033[K", line);
	fflush(stderr);
}

/* It asks a search to end; what is done for a report goes on for a moment. A signal from the terminal
 * has reached the whole process group already. */
static void on_stop(const siginfo_t *info, pid_t pid, bool search)
{
	const bool terminal = info->si_signo == SIGINT || info->si_signo == SIGHUP;

	if (info->si_signo == SIGCHLD)
		return;
	if (!search)
		budget_ask();
	else if (!terminal || info->si_code != SI_KERNEL)
		kill(pid, terminal ? info->si_signo : SIGTERM);
}

void progress_silent(void)
{
	silent = true;
}

/* True if the search has been told to end, or need not be. */
static bool told_to_stop(pid_t pid, const struct progress *p)
{
	const union sigval enough = { .sival_int = LP_STOP_FOUND };

	return !p->stop_at || (p->judged->confirmed >= p->stop_at &&
			       sigqueue(pid, SIGTERM, enough) == 0);
}

int progress_wait(pid_t pid, const struct progress *p, int *status, struct error *e)
{
	static const struct timespec period = { .tv_nsec = PERIOD_NS };
	const struct lp_status *mapped = NULL;
	bool drawn = false, over = false, show = p->show && !silent, stopped = !p->judged;
	sigset_t set;
	pid_t ended;

	progress_signals(&set);
	while ((ended = waitpid(pid, status, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
		bool waits = !show && stopped && p->search; /* for signals only */
		siginfo_t info;

		if (sigtimedwait(&set, &info, waits ? NULL : &period) > 0) {
			on_stop(&info, pid, p->search);
			continue;
		}
		stopped = stopped || told_to_stop(pid, p);
		if (!p->search && !over && budget_left() < RESERVED) {
			over = true;
			kill(pid, SIGTERM);
		}
		if (show && !mapped)
			mapped = map_status(p->directory);
		if (show && mapped) {
			progress_draw(p, mapped);
			drawn = true;
		}
	}
	if (drawn)
		progress_clear();
	if (mapped)
		munmap((void *)mapped, sizeof *mapped);
	return ended < 0 ? error_set(e, "waiting for the program: %s", strerror(errno)) : 0;
}

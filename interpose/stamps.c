/* SPDX-License-Identifier: MIT
 *
 * Time stamps of files. Those of the kernel are real, but the program's time is virtual. What was written since the run began
 * is said to be from the beginning of the execution: the kernel's clock of stamps goes by ticks, so all that happens within
 * one has one stamp. Where more time has passed that is a limit, for nobody knows when in it the file was written.
 *
 * Stamps from before the run, and those that a program has set itself, are said as they are; virtual time begins after them.
 */
#include "../runtime/unseen.h"
#include "channels.h"
#include "clock.h"
#include "closings.h"

#include <sys/stat.h>

#define TICK 4000 /* microseconds */

static struct timespec began; /* the run */

static struct timespec kernel_time(clockid_t clock)
{
	struct timespec t;

	sys2(SYS_clock_gettime, clock, &t);
	return t;
}

static bool before(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

void stamps_begin(void)
{
	began = kernel_time(CLOCK_REALTIME_COARSE);
}

static bool of_this_run(const struct timespec *t)
{
	const struct timespec now = kernel_time(CLOCK_REALTIME);

	return !before(t, &began) && !before(&now, t);
}

static void tell(struct timespec *t)
{
	if (!of_this_run(t))
		return;
	if (in_child()) {
		*t = child_stamp(*t);
		return;
	}
	*t = moment(0);
	if (rt->slept && time_now() >= TICK)
		unseen("time stamps of files that an execution writes are those of its beginning, but it has slept: what "
		       "compares them with a clock, or with each other, may go wrong",
		       NULL);
}

static int said(const char *name, int r, struct stat *s)
{
	if (kept_here() && !r) {
		if (active())
			unseen_memory(name, (uintptr_t)s, sizeof *s, true);
		tell(&s->st_atim);
		tell(&s->st_mtim);
		tell(&s->st_ctim);
	}
	return r;
}

/* `descriptor` is asked; -1. */
#define STATS(descriptor, name, parameters, ...)                                                   \
	int i_##name parameters;                                                                   \
	int i_##name parameters                                                                    \
	{                                                                                          \
		if (active())                                                                      \
			descriptor_used(#name, descriptor);                                        \
		return said(#name, real_##name(__VA_ARGS__), s);                                   \
	}
STATS(-1, stat, (const char *path, struct stat *s), path, s)
STATS(-1, lstat, (const char *path, struct stat *s), path, s)
STATS(fd, fstat, (int fd, struct stat *s), fd, s)
STATS(dir, fstatat, (int dir, const char *path, struct stat *s, int flags), dir, path, s, flags)
STATS(-1, __xstat, (int version, const char *path, struct stat *s), version, path, s)
STATS(-1, __lxstat, (int version, const char *path, struct stat *s), version, path, s)
STATS(fd, __fxstat, (int version, int fd, struct stat *s), version, fd, s)
STATS(dir, __fxstatat, (int version, int dir, const char *path, struct stat *s, int flags), version, dir, path, s, flags)

static void tell_extended(struct statx_timestamp *t)
{
	struct timespec at = { t->tv_sec, t->tv_nsec };

	tell(&at);
	t->tv_sec = at.tv_sec;
	t->tv_nsec = (uint32_t)at.tv_nsec;
}

int i_statx(int dir, const char *path, int flags, unsigned mask, struct statx *s);
int i_statx(int dir, const char *path, int flags, unsigned mask, struct statx *s)
{
	int r = real_statx(dir, path, flags, mask, s);

	if (kept_here() && !r) {
		if (active())
			unseen_memory("statx", (uintptr_t)s, sizeof *s, true);
		tell_extended(&s->stx_atime);
		tell_extended(&s->stx_btime);
		tell_extended(&s->stx_ctime);
		tell_extended(&s->stx_mtime);
	}
	return r;
}

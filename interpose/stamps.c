/* SPDX-License-Identifier: MIT
 *
 * Time stamps of files. Those of the kernel are real, but the program's time is virtual: what was written since the run
 * began is said to be of the moment when the program has written it. The kernel's clock of stamps goes by ticks, and so
 * does this one: where virtual time goes on by as much, or into another second, it waits for a tick and notes which
 * virtual time begins there. So a stamp lies between two notes, whatever the speed of the machine. Only programs that
 * look at such stamps pay for that: the exploration begins again when it is first seen.
 *
 * Stamps from before the run, and those that a program has set itself, are said as they are. No stamp is later than the time of
 * the thread that asks.
 */
#include "../runtime/checkpoint.h"
#include "../runtime/explore.h"
#include "../runtime/unseen.h"
#include "clock.h"

#include <sys/stat.h>

#define TICK 4000 /* microseconds */
#define MOST 4096

static struct {
	unsigned n;
	struct from {
		struct timespec real;
		uint64_t us;
	} list[MOST];
} notes;

static bool noted; /* in this execution */

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

void stamps_checkpoint(void)
{
	began = kernel_time(CLOCK_REALTIME_COARSE);
	checkpoint_add_marked((uintptr_t)&notes, (uintptr_t)(&notes + 1), &noted);
}

void stamps_pass(uint64_t then)
{
	const struct timespec a_bit = { 0, 500000 };
	const uint64_t last = notes.n ? notes.list[notes.n - 1].us : 0;
	struct timespec now, next;

	/* If it is not later, another thread was there before. */
	if (then <= last || (then < last + TICK && then / 1000000 == last / 1000000))
		return;
	if (notes.n == MOST) {
		unseen("time passes more often than is kept for stamps of files", NULL);
		return;
	}
	now = kernel_time(CLOCK_REALTIME); /* some systems have stamps between ticks, too */
	while (next = kernel_time(CLOCK_REALTIME_COARSE), !before(&now, &next))
		sys2(SYS_nanosleep, &a_bit, NULL);
	noted = true;
	notes.list[notes.n++] = (struct from){ next, then };
}

static bool of_this_run(const struct timespec *t)
{
	const struct timespec now = kernel_time(CLOCK_REALTIME);

	return !before(t, &began) && !before(&now, t);
}

static void tell(struct timespec *t)
{
	uint64_t us = 0, now = time_now();

	if (!of_this_run(t))
		return;
	if (!rt->stamped) {
		rt->stamped = rt->timed = 1;
		rt->need_restart = 1;
		abandon_execution();
	}
	for (unsigned i = notes.n; i-- > 0;)
		if (!before(t, &notes.list[i].real)) {
			us = notes.list[i].us;
			break;
		}
	*t = moment(us < now ? us : now);
}

static int said(int r, struct stat *s)
{
	if (active() && !r) {
		tell(&s->st_atim);
		tell(&s->st_mtim);
		tell(&s->st_ctim);
	}
	return r;
}

#define STATS(name, parameters, ...)                                                               \
	int i_##name parameters;                                                                   \
	int i_##name parameters                                                                    \
	{                                                                                          \
		return said(real_##name(__VA_ARGS__), s);                                          \
	}
STATS(stat, (const char *path, struct stat *s), path, s)
STATS(lstat, (const char *path, struct stat *s), path, s)
STATS(fstat, (int fd, struct stat *s), fd, s)
STATS(fstatat, (int dir, const char *path, struct stat *s, int flags), dir, path, s, flags)
STATS(__xstat, (int version, const char *path, struct stat *s), version, path, s)
STATS(__lxstat, (int version, const char *path, struct stat *s), version, path, s)
STATS(__fxstat, (int version, int fd, struct stat *s), version, fd, s)
STATS(__fxstatat, (int version, int dir, const char *path, struct stat *s, int flags), version, dir, path, s, flags)

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

	if (active() && !r) {
		tell_extended(&s->stx_atime);
		tell_extended(&s->stx_btime);
		tell_extended(&s->stx_ctime);
		tell_extended(&s->stx_mtime);
	}
	return r;
}

/* SPDX-License-Identifier: MIT
 *
 * Sleeping. A sleep lets others go first, as a yield does; its time passes immediately.
 */
#include "clock.h"

#include <errno.h>
#include <poll.h>
#include <sys/select.h>

static void pass(void)
{
	if (!alone()) {
		announce(LP_EV_YIELD, NULL, 0, caller());
		step(rt->cur);
	}
}

static uint64_t length_of(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * 1000000 + ((uint64_t)t->tv_nsec + 999) / 1000;
}

/* 0 or an error */
static int sleep_for(const struct timespec *t, struct timespec *left)
{
	if (t->tv_sec < 0 || !valid_time(t))
		return EINVAL;
	time_passes(length_of(t));
	pass();
	if (left)
		left->tv_sec = left->tv_nsec = 0;
	return 0;
}

static int with_errno(int error)
{
	return error ? fail(error) : 0;
}

int i_nanosleep(const struct timespec *t, struct timespec *left);
int i_nanosleep(const struct timespec *t, struct timespec *left)
{
	if (!active())
		return real_nanosleep(t, left);
	return with_errno(sleep_for(t, left));
}

int i_clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left);
int i_clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left)
{
	if (!active())
		return (int)-sys4(SYS_clock_nanosleep, clock, flags, t, left);
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_MONOTONIC:
	case CLOCK_BOOTTIME:
	case CLOCK_TAI:
	case CLOCK_PROCESS_CPUTIME_ID:
		break;
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_MONOTONIC_COARSE:
		return EOPNOTSUPP;
	default:
		return EINVAL;
	}
	if (!(flags & TIMER_ABSTIME))
		return sleep_for(t, left);
	if (t->tv_sec < 0 || !valid_time(t))
		return EINVAL;
	time_passes_until(t);
	pass();
	return 0;
}

int i_thrd_sleep(const struct timespec *t, struct timespec *left);
int i_thrd_sleep(const struct timespec *t, struct timespec *left)
{
	if (!active())
		return i_nanosleep(t, left) ? -1 : 0;
	return sleep_for(t, left) ? -2 : 0;
}

int i_usleep(useconds_t us);
int i_usleep(useconds_t us)
{
	struct timespec t = { us / 1000000, (long)(us % 1000000) * 1000 };

	return i_nanosleep(&t, NULL);
}

unsigned i_sleep(unsigned seconds);
unsigned i_sleep(unsigned seconds)
{
	struct timespec t = { seconds, 0 };

	i_nanosleep(&t, NULL);
	return 0;
}

/* Without descriptors, these are sleeps. */
static bool sleeps(uint64_t us)
{
	if (!active())
		return false;
	time_passes(us);
	pass();
	return true;
}

int i_poll(struct pollfd *fds, nfds_t n, int timeout);
int i_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	if (!n && timeout >= 0 && sleeps((uint64_t)timeout * 1000))
		return 0;
	return real_poll(fds, n, timeout);
}

int i_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask);
int i_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask)
{
	if (!n && t && t->tv_sec >= 0 && valid_time(t) && sleeps(length_of(t)))
		return 0;
	return real_ppoll(fds, n, t, mask);
}

static bool empty(int n, const fd_set *a, const fd_set *b, const fd_set *c)
{
	return !n || (!a && !b && !c);
}

int i_select(int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *t);
int i_select(int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *t)
{
	if (empty(n, r, w, e) && n >= 0 && t && t->tv_sec >= 0 && t->tv_usec >= 0 &&
	    sleeps((uint64_t)t->tv_sec * 1000000 + (uint64_t)t->tv_usec)) {
		t->tv_sec = t->tv_usec = 0;
		return 0;
	}
	return real_select(n, r, w, e, t);
}

int i_pselect(int n, fd_set *r, fd_set *w, fd_set *e, const struct timespec *t,
	      const sigset_t *mask);
int i_pselect(int n, fd_set *r, fd_set *w, fd_set *e, const struct timespec *t,
	      const sigset_t *mask)
{
	if (empty(n, r, w, e) && n >= 0 && t && t->tv_sec >= 0 && valid_time(t) &&
	    sleeps(length_of(t)))
		return 0;
	return real_pselect(n, r, w, e, t, mask);
}

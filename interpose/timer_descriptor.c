/* SPDX-License-Identifier: MIT
 *
 * Timers that are descriptors: events, of which libc's functions count the times.
 */
#include "timers.h"

#include <errno.h>
#include <sys/timerfd.h>

int i_timerfd_create(int clock, int flags);
int i_timerfd_create(int clock, int flags)
{
	struct timer *t;
	int fd;

	fd = real_timerfd_create(clock, flags); /* the kernel knows which there are */
	if (!active() || fd < 0)
		return fd;
	real_close(fd);
	fd = event_made(0, flags, TIMER);
	if (fd < 0)
		return fd;
	t = timer_new();
	if (!t) {
		channel_gone(fd);
		real_close(fd);
		return fail(ENFILE);
	}
	t->channel = channel_of(fd);
	t->fd = fd;
	return fd;
}

void timer_closed(unsigned channel, int other)
{
	struct timer *t = timer_on(channel);

	if (!t)
		return;
	if (other < 0)
		timer_gone(t);
	else
		t->fd = other;
}

int i_timerfd_gettime(int fd, struct itimerspec *now);
int i_timerfd_gettime(int fd, struct itimerspec *now)
{
	const struct timer *t = active() ? timer_on(channel_use(fd, LP_EV_READ)) : NULL;

	if (!t)
		return real_timerfd_gettime(fd, now);
	timer_tell(t, now);
	return 0;
}

int i_timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old);
int i_timerfd_settime(int fd, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	struct timer *t = active() ? timer_on(channel_use(fd, LP_EV_RMW)) : NULL;
	struct ready counting = ready_for(fd, POLLIN);
	uint64_t counted;

	if (in_child() && flags & TFD_TIMER_ABSTIME)
		return real_timerfd_settime(fd, flags & ~(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET),
					    child_timer(new, &(struct itimerspec){ 0 }), old);
	if (!t)
		return real_timerfd_settime(fd, flags, new, old);
	if (flags & ~(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET) || !valid_timer(new))
		return fail(EINVAL);
	if (old)
		timer_tell(t, old);
	if (counting.is.is(&counting.is)) /* what has run out is forgotten */
		sys3(SYS_read, fd, &counted, sizeof counted);
	timer_set(t, flags & TFD_TIMER_ABSTIME, new);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Waiting for one channel: until something can be read or written, until a moment, until it is used otherwise; see
 * channels.c.
 */
#include "channels.h"
#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

/* Sockets may be told how long a call waits. */
static uint64_t longest_wait(int fd, short events)
{
	struct timeval t = { 0, 0 };
	struct timespec length;
	socklen_t size = sizeof t;

	if (channel_kind(fd) != SOCKETS ||
	    sys5(SYS_getsockopt, fd, SOL_SOCKET, events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO, &t, &size) < 0 ||
	    (!t.tv_sec && !t.tv_usec))
		return FOR_EVER;
	length = (struct timespec){ t.tv_sec, t.tv_usec * 1000 };
	return time_after(time_now(), &length);
}

/* What is there now, if another thread has closed it, or opened something else with its number. */
bool channel_wait_until(int fd, short events, bool at_once, uint64_t then, int late)
{
	unsigned channel, interrupt = BY_CANCEL | BY_SIGNAL;
	struct ready ready;

	do {
		ready = ready_for(fd, events);
		channel = channel_of(fd);
		at_once = at_once || sys2(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK;
		ready.waits = !at_once;
		if (!at_once && then == FOR_EVER && (then = longest_wait(fd, events)) != FOR_EVER)
			interrupt |= BY_ANY_SIGNAL; /* sockets alone are not restarted if they wait so */
		if (at_once ? channel_step(channel, LP_EV_RMW, &ready.is, true, BY_CANCEL)
			    : channel_until(channel, LP_EV_RMW, &ready.is, then, interrupt)) {
			fail(EINTR);
			return false;
		}
	} while (channel_of(fd) && channel_of(fd) != channel);
	if ((!at_once && then == FOR_EVER) || ready.is.is(&ready.is))
		return true;
	fail(at_once ? EAGAIN : late); /* whatever the flags of the descriptor are now */
	return false;
}

bool channel_wait(int fd, short events, bool at_once)
{
	return channel_wait_until(fd, events, at_once, FOR_EVER, EAGAIN);
}

struct change {
	struct readiness is;
	int fd;
	unsigned channel;
	uint8_t before;
};

static bool missed_change(const struct readiness *is)
{
	const struct change *c = (const struct change *)is;

	return channel_of(c->fd) != c->channel;
}

static bool has_changed(const struct readiness *is)
{
	const struct change *c = (const struct change *)is;

	return missed_change(is) || *channel_changes(c->channel) != c->before;
}

bool channel_wait_for_change(int fd)
{
	unsigned channel = channel_of(fd);
	struct change c = { { has_changed, missed_change }, fd, channel, 0 };

	if (!channel)
		return true;
	if (!alone()) /* the step that was in vain was no change */
		(*channel_changes(channel))--;
	c.before = *channel_changes(channel);
	if (!channel_step(channel, LP_EV_READ, &c.is, false, BY_CANCEL | BY_SIGNAL))
		return true;
	fail(EINTR);
	return false;
}

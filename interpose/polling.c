/* SPDX-License-Identifier: MIT
 *
 * Waiting for several descriptors: poll, select, epoll. Without any it is a sleep. If all of them are channels
 * or files, it is a step that waits until the kernel says that one is ready, and then the call itself, which
 * does not wait. Otherwise the call waits for real: what is outside of the process decides.
 */
#include "channels.h"
#include "clock.h"
#include "sending.h"

#include <errno.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/stat.h>

#define MOST 1024 /* descriptors of a call */
#define FOR_EVER UINT64_MAX

/* Whether a descriptor of the set leads out of the process; *channels counts those that are channels. */
static bool leads_out(int fd, unsigned *nchannels, unsigned *channel)
{
	struct stat s;

	if (channel_of(fd)) {
		++*nchannels;
		*channel = channel_of(fd);
		return false;
	}
	return !sys2(SYS_fstat, fd, &s) && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

/* Until it is ready, or this moment. True: a signal or handler has ended it. */
static bool wait_for_ready(unsigned channel, unsigned kind, const struct readiness *ready, uint64_t then)
{
	const bool ends = then != FOR_EVER;
	const struct timespec until = moment(ends ? then : 0);
	uint32_t handlers = rt->cur->handlers;

	do {
		if (rt->cur->handlers != handlers ||
		    channel_step(channel, kind, ready, ends,
				 BY_CANCEL | BY_SIGNAL | BY_ANY_SIGNAL))
			return true;
	} while (ends && !ready->is(ready) && then > time_now() && wait_again(&until));
	return rt->cur->handlers != handlers && !ready->is(ready);
}

/* While a call waits, the thread blocks other signals. */
static uint64_t change_mask(const sigset_t *mask)
{
	uint64_t before = rt->cur->mask;

	if (mask && sigs_blocked(mask) != before) {
		sends(SENDS_SIGNALS);
		send_step(SENT_PROCESS);
		rt->cur->mask = sigs_blocked(mask);
		if (alone())
			take_now();
	}
	return before;
}

static void change_back(const sigset_t *mask, uint64_t before)
{
	if (mask && sigs_blocked(mask) != before) {
		send_step(SENT_PROCESS);
		rt->cur->mask = before;
	}
}

static uint64_t time_of_wait(const struct timespec *t)
{
	return t ? time_after(time_now(), t) : FOR_EVER;
}

/* ---- poll ---- */

struct polled {
	struct readiness is;
	const struct pollfd *fds;
	nfds_t n;
};

static bool poll_is_ready(const struct readiness *is)
{
	const struct polled *p = (const struct polled *)is;
	struct pollfd fds[p->n]; /* that of the program is not to be touched */

	copy(fds, p->fds, p->n * sizeof *fds);
	return sys3(SYS_poll, fds, p->n, 0) != 0;
}

/* Are all of them channels, or files that are always ready? */
static bool all_inside(const struct pollfd *fds, nfds_t n, unsigned *channel)
{
	unsigned channels = 0;

	*channel = 0;
	if (!channels_any() || n > MOST)
		return false;
	for (nfds_t i = 0; i < n; i++)
		if (fds[i].fd >= 0 && leads_out(fds[i].fd, &channels, channel))
			return false;
	if (channels > 1)
		channels_join();
	return channels > 0;
}

static int poll_until(struct pollfd *fds, nfds_t n, unsigned channel, uint64_t then, const sigset_t *mask)
{
	struct polled p = { { poll_is_ready }, fds, n };
	uint64_t before = change_mask(mask);
	bool ended = wait_for_ready(channel, LP_EV_READ, &p.is, then);

	change_back(mask, before);
	return ended ? fail(EINTR) : real_poll(fds, n, 0);
}

int i_poll(struct pollfd *fds, nfds_t n, int timeout);
int i_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	unsigned channel;
	uint64_t then;

	if (!active())
		return real_poll(fds, n, timeout);
	then = timeout < 0 ? FOR_EVER : time_now() + (uint64_t)timeout * 1000;
	if (!n && timeout >= 0)
		return sleeps_until(then);
	if (all_inside(fds, n, &channel))
		return poll_until(fds, n, channel, then, NULL);
	for (nfds_t i = 0; i < n; i++)
		descriptor_is_used("poll", fds[i].fd, false, true);
	return real_poll(fds, n, timeout);
}

int i___poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room);
int i___poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
	return room / sizeof *fds < n ? real___poll_chk(fds, n, timeout, room) : i_poll(fds, n, timeout);
}

int i_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask);
int i_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask)
{
	unsigned channel;

	if (!active() || (t && (t->tv_sec < 0 || !valid_time(t))))
		return real_ppoll(fds, n, t, mask);
	if (!n && t)
		return sleeps_until(time_of_wait(t));
	if (all_inside(fds, n, &channel))
		return poll_until(fds, n, channel, time_of_wait(t), mask);
	for (nfds_t i = 0; i < n; i++)
		descriptor_is_used("ppoll", fds[i].fd, false, true);
	return real_ppoll(fds, n, t, mask);
}

/* ---- select ---- */

struct selected {
	struct readiness is;
	int n;
	const fd_set *sets[3];
};

static long select_now(int n, const fd_set *const *sets, fd_set *own)
{
	struct timeval none = { 0, 0 };
	fd_set *use[3];

	for (int i = 0; i < 3; i++) {
		use[i] = sets[i] ? &own[i] : NULL;
		if (sets[i])
			own[i] = *sets[i];
	}
	return sys5(SYS_select, n, use[0], use[1], use[2], &none);
}

static bool select_is_ready(const struct readiness *is)
{
	const struct selected *s = (const struct selected *)is;
	fd_set own[3];

	return select_now(s->n, s->sets, own) != 0;
}

static bool select_inside(int n, fd_set *const *sets, unsigned *channel)
{
	unsigned channels = 0;

	if (!channels_any() || n < 0 || n > MOST)
		return false;
	for (int i = 0; i < 3; i++)
		for (int fd = 0; sets[i] && fd < n; fd++)
			if (FD_ISSET(fd, sets[i]) && leads_out(fd, &channels, channel))
				return false;
	if (channels > 1)
		channels_join();
	return channels > 0;
}

static int select_until(int n, fd_set *const *sets, unsigned channel, uint64_t then, const sigset_t *mask)
{
	struct selected s = { { select_is_ready }, n, { sets[0], sets[1], sets[2] } };
	uint64_t before = change_mask(mask);
	bool ended = wait_for_ready(channel, LP_EV_READ, &s.is, then);
	struct timeval none = { 0, 0 };

	change_back(mask, before);
	return ended ? fail(EINTR) : real_select(n, sets[0], sets[1], sets[2], &none);
}

static bool empty(int n, const fd_set *a, const fd_set *b, const fd_set *c)
{
	return !n || (!a && !b && !c);
}

int i_select(int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *t);
int i_select(int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *t)
{
	fd_set *sets[] = { r, w, e };
	struct timespec length;
	unsigned channel = 0;
	uint64_t then;

	if (!active() || n < 0 || (t && (t->tv_sec < 0 || t->tv_usec < 0)))
		return real_select(n, r, w, e, t);
	if (t)
		length = (struct timespec){ t->tv_sec + t->tv_usec / 1000000, t->tv_usec % 1000000 * 1000 };
	then = time_of_wait(t ? &length : NULL);
	if (empty(n, r, w, e) && t)
		return sleeps_until(then);
	if (select_inside(n, sets, &channel))
		return select_until(n, sets, channel, then, NULL);
	return real_select(n, r, w, e, t);
}

int i_pselect(int n, fd_set *r, fd_set *w, fd_set *e, const struct timespec *t, const sigset_t *mask);
int i_pselect(int n, fd_set *r, fd_set *w, fd_set *e, const struct timespec *t, const sigset_t *mask)
{
	fd_set *sets[] = { r, w, e };
	unsigned channel = 0;

	if (!active() || n < 0 || (t && (t->tv_sec < 0 || !valid_time(t))))
		return real_pselect(n, r, w, e, t, mask);
	if (empty(n, r, w, e) && t)
		return sleeps_until(time_of_wait(t));
	if (select_inside(n, sets, &channel))
		return select_until(n, sets, channel, time_of_wait(t), mask);
	return real_pselect(n, r, w, e, t, mask);
}

/* ---- epoll: a channel of its own, until what leads out is added to it ---- */

static int epoll_made(int fd)
{
	rt->opened = 1;
	if (fd < 0)
		return fd;
	channels_join();
	channel_end(fd, channel_new());
	return fd;
}

int i_epoll_create(int size);
int i_epoll_create(int size)
{
	return active() ? epoll_made(real_epoll_create(size)) : real_epoll_create(size);
}

int i_epoll_create1(int flags);
int i_epoll_create1(int flags)
{
	return active() ? epoll_made(real_epoll_create1(flags)) : real_epoll_create1(flags);
}

int i_epoll_ctl(int epoll, int op, int fd, struct epoll_event *event);
int i_epoll_ctl(int epoll, int op, int fd, struct epoll_event *event)
{
	unsigned channels = 0, channel;

	if (active() && channel_of(epoll)) {
		channel_step(channel_of(epoll), LP_EV_RMW, NULL, false, 0);
		if (op == EPOLL_CTL_ADD && leads_out(fd, &channels, &channel))
			channel_gone(epoll);
	}
	return real_epoll_ctl(epoll, op, fd, event);
}

static int epoll_until(int epoll, struct epoll_event *list, int n, uint64_t then, const sigset_t *mask)
{
	struct ready ready = ready_for(epoll, POLLIN);
	uint64_t before = change_mask(mask);
	bool ended = wait_for_ready(channel_of(epoll), LP_EV_RMW, &ready.is, then);

	change_back(mask, before);
	return ended ? fail(EINTR) : real_epoll_wait(epoll, list, n, 0);
}

int i_epoll_wait(int epoll, struct epoll_event *list, int n, int timeout);
int i_epoll_wait(int epoll, struct epoll_event *list, int n, int timeout)
{
	if (active() && channel_of(epoll))
		return epoll_until(epoll, list, n,
				   timeout < 0 ? FOR_EVER : time_now() + (uint64_t)timeout * 1000, NULL);
	if (active())
		descriptor_is_used("epoll_wait", epoll, false, true);
	return real_epoll_wait(epoll, list, n, timeout);
}

int i_epoll_pwait(int epoll, struct epoll_event *list, int n, int timeout, const sigset_t *mask);
int i_epoll_pwait(int epoll, struct epoll_event *list, int n, int timeout, const sigset_t *mask)
{
	if (active() && channel_of(epoll))
		return epoll_until(epoll, list, n,
				   timeout < 0 ? FOR_EVER : time_now() + (uint64_t)timeout * 1000, mask);
	return real_epoll_pwait(epoll, list, n, timeout, mask);
}

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

int i_pause(void);
int i_sigsuspend(const sigset_t *set);

/* What a call waits for. */
struct set {
	unsigned n;        /* descriptors */
	unsigned channels; /* of them */
	unsigned channel;  /* the last one; CHANNEL_TABLE: nothing is there; CHANNEL_NONE */
	bool missed;       /* one of them is not what it was, or not there */
	bool leads_out;    /* one of the others leads out of the process */
	uint64_t hash;     /* which they are */
};

static struct set nothing_yet(bool too_many)
{
	return (struct set){ .channel = CHANNEL_NONE, .leads_out = too_many };
}

static void look_at(int fd, struct set *set)
{
	unsigned channel = channel_used(fd);
	struct stat s;
	bool open = sys2(SYS_fstat, fd, &s) >= 0;

	set->n++;
	set->hash = mix(set->hash, channel);
	set->missed |= !open || (channel_of(fd) && channel_of(fd) != channel);
	if (channel != CHANNEL_NONE && (channel_of(fd) || !open)) {
		set->channels += channel != CHANNEL_TABLE;
		if (set->channel == CHANNEL_NONE || channel != CHANNEL_TABLE)
			set->channel = channel;
	} else if (open && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode)) {
		set->leads_out = true;
	}
}

/* Are all of them channels, not there, or files that are always ready? */
static bool inside(const struct set *set)
{
	if (set->leads_out || set->channel == CHANNEL_NONE)
		return false;
	if (set->channels > 1)
		channels_join();
	return true;
}

static bool differs(const struct set *now, const struct set *before)
{
	return now->missed || now->hash != before->hash;
}

/* A call that waits for several: what they are when it looks, and when it has looked last. */
struct watched {
	struct readiness is;
	struct set (*look)(const struct watched *);
	struct set set; /* at first, before the thread changes its mask */
	bool waits;
};

/* Until one of them is ready, also if they become others. True: a signal has ended it. */
static bool watch(struct watched *w, uint64_t then)
{
	struct set now = w->set;
	bool ended;

	w->waits = then > time_now();
	do {
		w->set = now;
		ended = channel_until(now.channel, LP_EV_READ, &w->is, then, BY_CANCEL | BY_ANY_SIGNAL);
		now = w->look(w);
	} while (now.hash != w->set.hash && !ended && inside(&now));
	show_signals();
	return ended;
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

/* After the call itself, with its result: others may go first here. */
static int change_back(const sigset_t *mask, uint64_t before, int r)
{
	int error = *real.errno_location();

	if (mask && sigs_blocked(mask) != before) {
		send_step(SENT_PROCESS);
		rt->cur->mask = before;
	}
	*real.errno_location() = error;
	return r;
}

/* Without any descriptor. */
static int nothing_until(uint64_t then, const sigset_t *mask)
{
	uint64_t before;

	if (then == FOR_EVER)
		return mask ? i_sigsuspend(mask) : i_pause();
	before = change_mask(mask);
	return change_back(mask, before, sleeps_until(then));
}

static uint64_t milliseconds(int timeout)
{
	return timeout < 0 ? FOR_EVER : time_now() + (uint64_t)timeout * 1000;
}

static uint64_t time_of_wait(const struct timespec *t)
{
	return t ? time_after(time_now(), t) : FOR_EVER;
}

/* ---- poll ---- */

struct polled {
	struct watched watched;
	const struct pollfd *fds;
	nfds_t n;
};

static struct set polled_set(const struct pollfd *fds, nfds_t n)
{
	struct set set = nothing_yet(n > MOST);

	for (nfds_t i = 0; i < n; i++)
		if (fds[i].fd >= 0)
			look_at(fds[i].fd, &set);
	return set;
}

static struct set look_polled(const struct watched *w)
{
	const struct polled *p = (const struct polled *)w;

	return polled_set(p->fds, p->n);
}

static bool poll_missed(const struct readiness *is)
{
	const struct polled *p = (const struct polled *)is;
	const struct set now = look_polled(&p->watched);

	for (nfds_t i = 0; i < p->n && p->watched.waits; i++)
		channel_closed_in_use(p->fds[i].fd, p->fds[i].events);
	return differs(&now, &p->watched.set);
}

static bool poll_is_ready(const struct readiness *is)
{
	const struct polled *p = (const struct polled *)is;
	struct pollfd fds[p->n]; /* that of the program is not to be touched */

	copy(fds, p->fds, p->n * sizeof *fds);
	show_signals();
	return sys3(SYS_poll, fds, p->n, 0) != 0;
}

static int poll_until(struct pollfd *fds, nfds_t n, uint64_t then, const sigset_t *mask)
{
	struct polled p = { { { poll_is_ready, poll_missed }, look_polled, polled_set(fds, n), false }, fds, n };
	uint64_t before = change_mask(mask);
	bool ended = watch(&p.watched, then);

	return change_back(mask, before, ended ? fail(EINTR) : real_poll(fds, n, 0));
}

/* False: it waits for real. */
static bool polls(const char *name, struct pollfd *fds, nfds_t n, uint64_t then, const sigset_t *mask, int *r)
{
	const struct set set = polled_set(fds, n);

	if (!set.n) {
		*r = nothing_until(then, mask);
		for (nfds_t i = 0; i < n && !*r; i++)
			fds[i].revents = 0;
		return true;
	}
	if (inside(&set)) {
		*r = poll_until(fds, n, then, mask);
		return true;
	}
	cancellation_point();
	for (nfds_t i = 0; i < n; i++)
		descriptor_is_used(name, fds[i].fd, false, true);
	return false;
}

int i_poll(struct pollfd *fds, nfds_t n, int timeout);
int i_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	int r;

	return active() && polls("poll", fds, n, milliseconds(timeout), NULL, &r) ? r
										  : real_poll(fds, n, timeout);
}

int i___poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room);
int i___poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
	return room / sizeof *fds < n ? real___poll_chk(fds, n, timeout, room) : i_poll(fds, n, timeout);
}

int i_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask);
int i_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const sigset_t *mask)
{
	int r;

	if (active() && !(t && (t->tv_sec < 0 || !valid_time(t))) && polls("ppoll", fds, n, time_of_wait(t), mask, &r))
		return r;
	return real_ppoll(fds, n, t, mask);
}

/* ---- select ---- */

struct selected {
	struct watched watched;
	int n;
	fd_set *const *sets; /* three */
};

static struct set selected_set(int n, fd_set *const *sets)
{
	struct set set = nothing_yet(n > MOST);

	for (int i = 0; i < 3; i++)
		for (int fd = 0; sets[i] && fd < n && fd < MOST; fd++)
			if (FD_ISSET(fd, sets[i]))
				look_at(fd, &set);
	return set;
}

static struct set look_selected(const struct watched *w)
{
	const struct selected *s = (const struct selected *)w;

	return selected_set(s->n, s->sets);
}

static bool select_missed(const struct readiness *is)
{
	const struct selected *s = (const struct selected *)is;
	const struct set now = look_selected(&s->watched);

	for (int fd = 0; fd < s->n && s->watched.waits; fd++)
		for (int i = 0; i < 2; i++)
			if (s->sets[i] && FD_ISSET(fd, s->sets[i]))
				channel_closed_in_use(fd, i ? POLLOUT : POLLIN);
	return differs(&now, &s->watched.set);
}

static long select_now(int n, fd_set *const *sets, fd_set *own)
{
	struct timeval none = { 0, 0 };
	fd_set *use[3];

	for (int i = 0; i < 3; i++) {
		use[i] = sets[i] ? &own[i] : NULL;
		if (sets[i])
			own[i] = *sets[i];
	}
	show_signals();
	return sys5(SYS_select, n, use[0], use[1], use[2], &none);
}

static bool select_is_ready(const struct readiness *is)
{
	const struct selected *s = (const struct selected *)is;
	fd_set own[3];

	return select_now(s->n, s->sets, own) != 0;
}

static int select_until(int n, fd_set *const *sets, uint64_t then, const sigset_t *mask)
{
	struct selected s = { { { select_is_ready, select_missed }, look_selected, selected_set(n, sets), false }, n, sets };
	uint64_t before = change_mask(mask);
	bool ended = watch(&s.watched, then);
	struct timeval none = { 0, 0 };

	return change_back(mask, before, ended ? fail(EINTR) : real_select(n, sets[0], sets[1], sets[2], &none));
}

static bool selects(const char *name, int n, fd_set *const *sets, uint64_t then, const sigset_t *mask, int *r)
{
	const struct set set = selected_set(n, sets);

	if (!set.n && n <= MOST) {
		*r = nothing_until(then, mask);
		return true;
	}
	if (inside(&set)) {
		*r = select_until(n, sets, then, mask);
		return true;
	}
	cancellation_point();
	for (int i = 0; i < 3; i++)
		for (int fd = 0; sets[i] && fd < n && fd < MOST; fd++)
			if (FD_ISSET(fd, sets[i]))
				descriptor_is_used(name, fd, false, true);
	return false;
}

int i_select(int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *t);
int i_select(int n, fd_set *r, fd_set *w, fd_set *e, struct timeval *t)
{
	fd_set *sets[] = { r, w, e };
	struct timespec length;
	int result;

	if (!active() || n < 0 || (t && (t->tv_sec < 0 || t->tv_usec < 0)))
		return real_select(n, r, w, e, t);
	if (t)
		length = (struct timespec){ t->tv_sec + t->tv_usec / 1000000, t->tv_usec % 1000000 * 1000 };
	return selects("select", n, sets, time_of_wait(t ? &length : NULL), NULL, &result)
		       ? result
		       : real_select(n, r, w, e, t);
}

int i_pselect(int n, fd_set *r, fd_set *w, fd_set *e, const struct timespec *t, const sigset_t *mask);
int i_pselect(int n, fd_set *r, fd_set *w, fd_set *e, const struct timespec *t, const sigset_t *mask)
{
	fd_set *sets[] = { r, w, e };
	int result;

	if (!active() || n < 0 || (t && (t->tv_sec < 0 || !valid_time(t))))
		return real_pselect(n, r, w, e, t, mask);
	return selects("pselect", n, sets, time_of_wait(t), mask, &result) ? result
									   : real_pselect(n, r, w, e, t, mask);
}

/* ---- epoll: a channel of its own, until what leads out is added to it ---- */

static void epoll_comes(void)
{
	channels_join();
	channel_comes();
}

static int epoll_made(int fd)
{
	return channel_made(fd, &fd, 1, EPOLL);
}

int i_epoll_create(int size);
int i_epoll_create(int size)
{
	if (!active())
		return real_epoll_create(size);
	epoll_comes();
	return epoll_made(real_epoll_create(size));
}

int i_epoll_create1(int flags);
int i_epoll_create1(int flags)
{
	if (!active())
		return real_epoll_create1(flags);
	epoll_comes();
	return epoll_made(real_epoll_create1(flags));
}

int i_epoll_ctl(int epoll, int op, int fd, struct epoll_event *event);
int i_epoll_ctl(int epoll, int op, int fd, struct epoll_event *event)
{
	struct set set = nothing_yet(false);

	if (active() && channel_use(epoll, LP_EV_RMW) && op == EPOLL_CTL_ADD) {
		look_at(fd, &set);
		if (set.leads_out)
			channel_gone(epoll);
		else if (set.channels)
			channel_holds(epoll, fd);
	}
	return real_epoll_ctl(epoll, op, fd, event);
}

/* False: it waits for real. */
static bool epolls(const char *name, int epoll, struct epoll_event *list, int n, int timeout, const sigset_t *mask,
		   int *r)
{
	struct ready ready = ready_for(epoll, POLLIN);
	unsigned channel = channel_look(epoll, LP_EV_RMW, 0);
	uint64_t before;
	bool ended;

	if (!channel) {
		cancellation_point();
		descriptor_is_used(name, epoll, false, true);
		return false;
	}
	before = change_mask(mask);
	ended = channel_until(channel, LP_EV_RMW, &ready.is, milliseconds(timeout),
			      timeout ? BY_CANCEL | BY_ANY_SIGNAL : BY_CANCEL);
	show_signals();
	*r = change_back(mask, before, ended ? fail(EINTR) : real_epoll_wait(epoll, list, n, 0));
	return true;
}

int i_epoll_wait(int epoll, struct epoll_event *list, int n, int timeout);
int i_epoll_wait(int epoll, struct epoll_event *list, int n, int timeout)
{
	int r;

	return active() && epolls("epoll_wait", epoll, list, n, timeout, NULL, &r)
		       ? r
		       : real_epoll_wait(epoll, list, n, timeout);
}

int i_epoll_pwait(int epoll, struct epoll_event *list, int n, int timeout, const sigset_t *mask);
int i_epoll_pwait(int epoll, struct epoll_event *list, int n, int timeout, const sigset_t *mask)
{
	int r;

	return active() && epolls("epoll_pwait", epoll, list, n, timeout, mask, &r)
		       ? r
		       : real_epoll_pwait(epoll, list, n, timeout, mask);
}

/* SPDX-License-Identifier: MIT
 *
 * Channels: the kernel has them, as without the runtime, and they are closed with what is in them at the end of the
 * execution. What is added is only that each use is a step, on an object that the channel is, and that a thread
 * that would have to wait is blocked until the kernel says that it need not. So a deadlock is one, and what
 * reads, writes and closes do is what it always is.
 *
 * Coarse: each use but a vain one changes the channel, whichever end it is of. Who looks at several (poll)
 * makes all channels one object. Each is named by the thread that has made it and the number of its making, as
 * blocks of the heap are. Numbers of descriptors depend on the order in which they are made, so making and closing
 * one is a step on the table of descriptors.
 *
 * A descriptor that leads out of the process (a socket, a pipe that was given, or one that another process has)
 * is none: it is a limit, and waits for real.
 */
#include "channels.h"
#include "../runtime/checkpoint.h"
#include "../runtime/explore.h"
#include "../runtime/run_dir.h"
#include "../runtime/unseen.h"
#include "changes.h"
#include "sending.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define MOST_DESCRIPTORS 1024

/* Part of the checkpoint; nearly all is zero. */
static struct {
	bool any, out;
	uint16_t made[MAX_FIBERS];
	uint32_t of[MOST_DESCRIPTORS]; /* channels, from 1 */
} channels;

void channels_checkpoint(void)
{
	checkpoint_add((uintptr_t)&channels, (uintptr_t)(&channels + 1));
	/* Whoever looks at what is at the place of a step finds nothing. */
	map(CHANNELS, round_up(8 * (CHANNEL_ALL + 1), PAGE), true, false);
}

unsigned channel_of(int fd)
{
	return fd >= 0 && fd < MOST_DESCRIPTORS && !channels.out ? channels.of[fd] : 0;
}

bool channels_any(void)
{
	return channels.any && !channels.out;
}

static void *place_of(unsigned channel)
{
	if (rt->channels_joined && channel != CHANNEL_TABLE)
		channel = CHANNEL_ALL;
	return (void *)(CHANNELS + 8UL * channel);
}

/* `changes` is another that the step changes, too; CHANNEL_NONE. */
static bool step_on(unsigned channel, unsigned changes, unsigned kind, const struct readiness *ready, bool at_once,
		    unsigned interrupt)
{
	struct pending *p;

	if (alone() && (at_once || !ready || ready->is(ready)))
		return false;
	p = announce(kind, place_of(channel), 1, caller());
	p->flags = LP_SITE_ATOMIC | LP_SITE_NOVALUE | __ATOMIC_SEQ_CST << 4;
	if (changes != CHANNEL_NONE)
		p->addr2 = (uint64_t)place_of(changes);
	if (ready) {
		p->wait = WAIT_CHANNEL;
		p->attempt = at_once;
		p->expected = (uint64_t)ready;
		interruptible(p, interrupt);
	}
	kind = step(rt->cur)->kind;
	if (kind == LP_EV_RMW)
		rt->passed = mix(rt->passed, p->addr << 8 | rt->cur->id);
	return kind == LP_EV_TAKE;
}

bool channel_step(unsigned channel, unsigned kind, const struct readiness *ready, bool at_once,
		  unsigned interrupt)
{
	return step_on(channel, CHANNEL_NONE, kind, ready, at_once, interrupt);
}

static bool is_there(const struct readiness *is)
{
	const struct ready *r = (const struct ready *)is;
	struct pollfd p = { .fd = r->fd, .events = r->events };

	return sys3(SYS_poll, &p, 1, 0) != 0;
}

struct ready ready_for(int fd, short events)
{
	return (struct ready){ { is_there }, fd, events };
}

unsigned channel_used(int fd)
{
	if (channel_of(fd) || !channels_any() || sys2(SYS_fcntl, fd, F_GETFD) >= 0)
		return channel_of(fd);
	channel_step(CHANNEL_TABLE, LP_EV_READ, NULL, false, 0);
	return channel_of(fd);
}

/* What is there now, if another thread has closed it, or opened something else with its number. */
bool channel_wait(int fd, short events, bool at_once)
{
	struct ready ready = ready_for(fd, events);
	unsigned channel;

	do {
		channel = channel_of(fd);
		at_once = at_once || sys2(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK;
		if (channel_step(channel, LP_EV_RMW, &ready.is, at_once, BY_CANCEL | BY_SIGNAL)) {
			fail(EINTR);
			return false;
		}
	} while (channel_of(fd) && channel_of(fd) != channel);
	if (!at_once || is_there(&ready.is))
		return true;
	fail(EAGAIN); /* whatever the flags of the descriptor are now */
	return false;
}

unsigned channel_new(void)
{
	struct fiber *f = rt->cur;

	if (channels.made[f->id] == LP_CHANNELS_EACH)
		die("a thread makes more than %u pipes, events and pairs of sockets",
		    (unsigned long)LP_CHANNELS_EACH);
	channels.any = true;
	return CHANNEL_TABLE + 1U + f->id * LP_CHANNELS_EACH + channels.made[f->id]++;
}

void channel_end(int fd, unsigned channel)
{
	if (fd >= 0 && fd < MOST_DESCRIPTORS)
		channels.of[fd] = channel;
}

void channel_gone(int fd)
{
	channel_end(fd, 0);
}

void channels_lead_out(void)
{
	channels.out = true;
}

void channels_join(void)
{
	if (rt->channels_joined)
		return;
	rt->channels_joined = 1;
	if (alone())
		return;
	rt->need_restart = 1;
	abandon_execution();
}

void descriptor_is_used(const char *name, int fd, bool writes, bool at)
{
	struct stat s;

	if (alone() || sys2(SYS_fstat, fd, &s) < 0 || fd == 1 || fd == 2)
		return;
	if (S_ISREG(s.st_mode)) {
		unseen_file(name, s.st_dev, s.st_ino, at ? -1 : fd, writes);
		return;
	}
	if (!S_ISFIFO(s.st_mode) && !S_ISSOCK(s.st_mode))
		return;
	unseen("what ", name,
	       " passes to another process, or takes from one, is no step: threads that do so, or wait "
	       "so, in another order are missed",
	       NULL);
}

/* ---- what makes them ---- */

static void table_step(void)
{
	channel_step(CHANNEL_TABLE, LP_EV_RMW, NULL, false, 0);
}

static int made(int r, const int *ends, int n)
{
	unsigned channel;

	rt->opened = 1;
	if (r < 0)
		return r;
	channel = channel_new();
	for (int i = 0; i < n; i++)
		channel_end(ends[i], channel);
	return r;
}

int i_pipe(int ends[2]);
int i_pipe(int ends[2])
{
	if (!active())
		return real_pipe(ends);
	table_step();
	return made(real_pipe(ends), ends, 2);
}

int i_pipe2(int ends[2], int flags);
int i_pipe2(int ends[2], int flags)
{
	if (!active())
		return real_pipe2(ends, flags);
	table_step();
	return made(real_pipe2(ends, flags), ends, 2);
}

int i_eventfd(unsigned value, int flags)
{
	int fd;

	if (!active())
		return real_eventfd(value, flags);
	table_step();
	fd = real_eventfd(value, flags);
	return made(fd, &fd, 1);
}

int i_socketpair(int domain, int type, int protocol, int ends[2]);
int i_socketpair(int domain, int type, int protocol, int ends[2])
{
	if (!active())
		return real_socketpair(domain, type, protocol, ends);
	table_step();
	return made(real_socketpair(domain, type, protocol, ends), ends, 2);
}

int i_socket(int domain, int type, int protocol);
int i_socket(int domain, int type, int protocol)
{
	if (active()) {
		rt->opened = 1;
		unseen("what threads pass to each other through a socket is no step: executions in which "
		       "it comes in another order are missed",
		       NULL);
	}
	return real_socket(domain, type, protocol);
}

/* ---- descriptors ---- */

/* What is open there is closed. */
static void closes(int fd)
{
	unsigned channel = channel_used(fd);

	if (!channel)
		return;
	step_on(channel, CHANNEL_TABLE, LP_EV_RMW, NULL, false, 0);
	channel_gone(fd);
	timer_closed(fd);
}

int i_close(int fd);
int i_close(int fd)
{
	if (!active())
		return real_close(fd);
	if (descriptor_is_ours(fd))
		return fail(EBADF);
	inherited_changes(fd);
	closes(fd);
	return real_close(fd);
}

/* Around those of the runtime. */
static int close_from_to(unsigned first, unsigned last, int flags)
{
	unsigned to = (unsigned)rt->fd_first - 1;
	int r = 0;

	inherited_may_change();
	for (unsigned fd = first; fd <= last && fd < MOST_DESCRIPTORS && channels_any(); fd++)
		closes((int)fd);
	if (first <= to)
		r = real_close_range(first, last < to ? last : to, flags);
	for (unsigned fd = first > to ? first : to + 1; !r && fd <= last && fd < to + 1000; fd++)
		if (!descriptor_is_ours((int)fd))
			r = real_close_range(fd, fd, flags);
	return r;
}

int i_close_range(unsigned first, unsigned last, int flags);
int i_close_range(unsigned first, unsigned last, int flags)
{
	if (!active() || first > last || flags)
		return real_close_range(first, last, flags);
	return close_from_to(first, last, flags);
}

void i_closefrom(int first);
void i_closefrom(int first)
{
	if (active())
		close_from_to(first < 0 ? 0 : (unsigned)first, ~0U, 0);
	else
		sys3(SYS_close_range, first < 0 ? 0 : first, ~0U, 0);
}

static int copied(int from, int to)
{
	rt->opened = 1;
	if (to >= 0 && channel_of(from))
		channel_end(to, channel_of(from));
	return to;
}

int i_dup(int fd);
int i_dup(int fd)
{
	if (!active())
		return real_dup(fd);
	if (channel_of(fd))
		table_step();
	return copied(fd, real_dup(fd));
}

/* A channel, or what is to be in its place. */
static void replaces(int fd, int to)
{
	if (descriptor_is_ours(to))
		die("the program uses descriptor %u, which it has not opened; the runtime has: use "
		    "numbers below %u",
		    (unsigned long)to, (unsigned long)rt->fd_first);
	inherited_changes(to);
	if (fd != to)
		closes(to);
}

int i_dup2(int fd, int to);
int i_dup2(int fd, int to)
{
	if (!active())
		return real_dup2(fd, to);
	replaces(fd, to);
	return copied(fd, real_dup2(fd, to));
}

int i_dup3(int fd, int to, int flags);
int i_dup3(int fd, int to, int flags)
{
	if (!active())
		return real_dup3(fd, to, flags);
	replaces(fd, to);
	return copied(fd, real_dup3(fd, to, flags));
}

int i_fcntl(int fd, int command, uint64_t argument);
int i_fcntl(int fd, int command, uint64_t argument)
{
	unsigned channel;

	if (!active())
		return real_fcntl(fd, command, argument);
	inherited_changes(fd);
	channel = channel_of(fd);
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) {
		if (channel)
			table_step();
		return copied(fd, real_fcntl(fd, command, argument));
	}
	if (channel && command == F_SETFL) {
		channel_step(channel, LP_EV_RMW, NULL, false, 0);
		if (!alone() && (sys2(SYS_fcntl, fd, F_GETFL) ^ (long)argument) & O_NONBLOCK)
			unseen("a thread says whether others wait for a pipe, an event or a pair of "
			       "sockets (O_NONBLOCK): whether one has begun to wait before that is not "
			       "explored",
			       NULL);
	}
	return real_fcntl(fd, command, argument);
}

int i_fcntl64(int fd, int command, uint64_t argument);
int i_fcntl64(int fd, int command, uint64_t argument)
{
	return i_fcntl(fd, command, argument);
}

int i_shutdown(int fd, int how);
int i_shutdown(int fd, int how)
{
	if (active() && channel_of(fd))
		channel_step(channel_of(fd), LP_EV_RMW, NULL, false, 0);
	return real_shutdown(fd, how);
}

/* SPDX-License-Identifier: MIT
 *
 * What makes, closes, copies and sets descriptors; see channels.c. Closing one, and what gets a number, is a step on the table
 * of descriptors once there are channels. What changes how calls on a channel wait is a step on that, and a limit
 * if there are other threads: they look before they wait.
 */
#include "channels.h"
#include "../runtime/run_dir.h"
#include "../runtime/unseen.h"
#include "changes.h"
#include "closings.h"
#include "sending.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int i_pipe(int ends[2]);
int i_pipe(int ends[2])
{
	if (!active())
		return real_pipe(ends);
	channel_comes();
	return channel_made(real_pipe(ends), ends, 2, PIPE);
}

int i_pipe2(int ends[2], int flags);
int i_pipe2(int ends[2], int flags)
{
	if (!active())
		return real_pipe2(ends, flags);
	channel_comes();
	return channel_made(real_pipe2(ends, flags), ends, 2, PIPE);
}

int event_made(unsigned value, int flags, enum channel_kind kind)
{
	int fd;

	channel_comes();
	fd = real_eventfd(value, flags);
	return channel_made(fd, &fd, 1, kind);
}

int i_eventfd(unsigned value, int flags);
int i_eventfd(unsigned value, int flags)
{
	return active() ? event_made(value, flags, EVENT) : real_eventfd(value, flags);
}

int i_socketpair(int domain, int type, int protocol, int ends[2]);
int i_socketpair(int domain, int type, int protocol, int ends[2])
{
	if (!active())
		return real_socketpair(domain, type, protocol, ends);
	channel_comes();
	return channel_made(real_socketpair(domain, type, protocol, ends), ends, 2, SOCKETS);
}

int i_socket(int domain, int type, int protocol);
int i_socket(int domain, int type, int protocol)
{
	if (active()) {
		rt->opened = 1;
		table_step();
		unseen("what threads pass to each other through a socket is no step: executions in which "
		       "it comes in another order are missed",
		       NULL);
	}
	return real_socket(domain, type, protocol);
}

/* ---- closing and copying ---- */

int descriptor_close(int fd)
{
	if (descriptor_is_ours(fd))
		return fail(EBADF);
	inherited_changes(fd);
	channel_table_step(fd);
	channel_gone(fd);
	return real_close(fd);
}

int i_close(int fd);
int i_close(int fd)
{
	if (!active())
		return real_close(fd);
	cancellation_point();
	return descriptor_close(fd);
}

/* Around those of the runtime. */
static int close_from_to(unsigned first, unsigned last, int flags)
{
	unsigned to = (unsigned)rt->fd_first - 1;
	int r = 0;

	inherited_may_change();
	table_step();
	for (unsigned fd = first; fd <= last && fd < to; fd++) {
		if (channel_of((int)fd))
			channel_table_step((int)fd);
		else
			file_lock_close_step((int)fd);
		channel_gone((int)fd);
	}
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

int i_dup(int fd);
int i_dup(int fd)
{
	int to;

	if (!active())
		return real_dup(fd);
	rt->opened = 1;
	channel_table_step(fd);
	descriptor_used("dup", fd);
	to = real_dup(fd);
	channel_copied(fd, to);
	return to;
}

/* `flags` are those of dup3; dup2: -1. */
static int replaces(int fd, int to, int flags)
{
	int r;

	if (descriptor_is_ours(to))
		refuse("the program uses descriptor %u, which it has not opened; the runtime has: use "
		       "numbers below %u",
		       (unsigned long)to, (unsigned long)rt->fd_first);
	inherited_changes(to);
	rt->opened = 1;
	if (fd != to) {
		if (channel_used(fd) != CHANNEL_NONE)
			channel_table_step(fd);
		channel_table_step(to);
	}
	r = flags < 0 ? real_dup2(fd, to) : real_dup3(fd, to, flags);
	if (r >= 0 && fd != to) {
		channel_gone(to);
		channel_copied(fd, to);
	}
	return r;
}

int i_dup2(int fd, int to);
int i_dup2(int fd, int to)
{
	return active() ? replaces(fd, to, -1) : real_dup2(fd, to);
}

int i_dup3(int fd, int to, int flags);
int i_dup3(int fd, int to, int flags)
{
	if (!active() || flags < 0)
		return real_dup3(fd, to, flags);
	return replaces(fd, to, flags);
}

/* ---- how calls wait ---- */

static bool is_not_to_wait(int fd)
{
	return sys2(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK;
}

static void waits_differently(void)
{
	if (!alone())
		unseen("a thread says whether others wait for a pipe, an event or a pair of sockets "
		       "(O_NONBLOCK, FIONBIO), or how long: whether one has begun to wait before that is not "
		       "explored",
		       NULL);
}

void waits_otherwise(int fd, bool at_once)
{
	if (is_not_to_wait(fd) != at_once)
		waits_differently();
}

int i_fcntl(int fd, int command, uint64_t argument);
int i_fcntl(int fd, int command, uint64_t argument)
{
	int r;

	if (!active())
		return real_fcntl(fd, command, argument);
	if (command == F_SETLKW || command == F_OFD_SETLKW)
		cancellation_point();
	inherited_changes(fd);
	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) {
		rt->opened = 1;
		channel_table_step(fd);
		descriptor_used("fcntl", fd);
		r = real_fcntl(fd, command, argument);
		channel_copied(fd, r);
		return r;
	}
	if ((command == F_OFD_SETLK || command == F_OFD_SETLKW) && !alone())
		unseen("locks of open files (F_OFD_SETLK) between threads are no steps; those of flock are", NULL);
	if (channel_use(fd, command == F_GETFL || command == F_GETFD ? LP_EV_READ : LP_EV_RMW) &&
	    command == F_SETFL)
		waits_otherwise(fd, argument & O_NONBLOCK);
	descriptor_used("fcntl", fd);
	return real_fcntl(fd, command, argument);
}

int i_fcntl64(int fd, int command, uint64_t argument);
int i_fcntl64(int fd, int command, uint64_t argument)
{
	return i_fcntl(fd, command, argument);
}

int i_ioctl(int fd, unsigned long request, uint64_t argument);
int i_ioctl(int fd, unsigned long request, uint64_t argument)
{
	if (!active())
		return real_ioctl(fd, request, argument);
	if (request == FIONBIO)
		inherited_changes(fd);
	if (channel_use(fd, request == FIONREAD ? LP_EV_READ : LP_EV_RMW) && request == FIONBIO && argument)
		waits_otherwise(fd, *(const int *)argument);
	return real_ioctl(fd, request, argument);
}

int i_setsockopt(int fd, int level, int option, const void *value, socklen_t size);
int i_setsockopt(int fd, int level, int option, const void *value, socklen_t size)
{
	if (active() && channel_use(fd, LP_EV_RMW) && level == SOL_SOCKET &&
	    (option == SO_RCVTIMEO || option == SO_SNDTIMEO))
		waits_differently();
	return real_setsockopt(fd, level, option, value, size);
}

int i_shutdown(int fd, int how);
int i_shutdown(int fd, int how)
{
	if (active())
		channel_use(fd, LP_EV_RMW);
	return real_shutdown(fd, how);
}

/* ---- stdio ---- */

void stdio_uses(int fd)
{
	if (channel_of(fd))
		unseen("a pipe, an event or a socket is used by functions of stdio: what they do there is no step, and "
		       "they wait for real",
		       NULL);
}

void stdio_closes(int fd)
{
	if (fd < 0)
		return;
	table_changes();
	channel_gone(fd);
}

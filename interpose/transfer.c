/* SPDX-License-Identifier: MIT
 *
 * Reading and writing descriptors: of channels steps, which wait until there is something to read or room to write.
 * A write that does not fit is several, as its reader sees it.
 */
#include "changes.h"
#include "channels.h"
#include "../runtime/unseen.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* False: it fails. */
static bool may_get(const char *name, int fd, bool at_once)
{
	unsigned channel = channel_used(fd);

	inherited_is_read(fd);
	if (channel)
		return channel_wait(fd, POLLIN, at_once);
	descriptor_is_used(name, fd, false, false);
	return true;
}

static ssize_t got(const char *name, void *to, ssize_t n)
{
	if (n > 0)
		unseen_memory(name, (uintptr_t)to, (size_t)n, true);
	return n;
}

#define GET(name, fd, at_once, to, call)                                                           \
	do {                                                                                       \
		if (!active())                                                                     \
			return call;                                                               \
		if (!may_get(name, fd, at_once))                                                   \
			return -1;                                                                 \
		return got(name, to, call);                                                        \
	} while (0)

ssize_t i_read(int fd, void *to, size_t n);
ssize_t i_read(int fd, void *to, size_t n)
{
	GET("read", fd, false, to, real_read(fd, to, n));
}

ssize_t i___read_chk(int fd, void *to, size_t n, size_t room);
ssize_t i___read_chk(int fd, void *to, size_t n, size_t room)
{
	GET("read", fd, false, to, real___read_chk(fd, to, n, room));
}

ssize_t i_readv(int fd, const struct iovec *to, int n);
ssize_t i_readv(int fd, const struct iovec *to, int n)
{
	GET("readv", fd, false, n > 0 ? to->iov_base : NULL, real_readv(fd, to, n));
}

/* As much as is asked for would be waited for bit by bit. */
static bool flags_get(int fd, int flags)
{
	if (active() && flags & MSG_WAITALL && channel_of(fd))
		unseen("MSG_WAITALL gets what is there when it begins", NULL);
	return flags & MSG_DONTWAIT;
}

ssize_t i_recv(int fd, void *to, size_t n, int flags);
ssize_t i_recv(int fd, void *to, size_t n, int flags)
{
	bool at_once = flags_get(fd, flags);

	if (active() && channel_of(fd))
		flags &= ~MSG_WAITALL;
	GET("recv", fd, at_once, to, real_recv(fd, to, n, flags));
}

ssize_t i___recv_chk(int fd, void *to, size_t n, size_t room, int flags);
ssize_t i___recv_chk(int fd, void *to, size_t n, size_t room, int flags)
{
	bool at_once = flags_get(fd, flags);

	if (active() && channel_of(fd))
		flags &= ~MSG_WAITALL;
	GET("recv", fd, at_once, to, real___recv_chk(fd, to, n, room, flags));
}

ssize_t i_recvfrom(int fd, void *to, size_t n, int flags, __SOCKADDR_ARG a, socklen_t *size);
ssize_t i_recvfrom(int fd, void *to, size_t n, int flags, __SOCKADDR_ARG a, socklen_t *size)
{
	bool at_once = flags_get(fd, flags);

	if (active() && channel_of(fd))
		flags &= ~MSG_WAITALL;
	GET("recvfrom", fd, at_once, to, real_recvfrom(fd, to, n, flags, a, size));
}

ssize_t i_recvmsg(int fd, struct msghdr *m, int flags);
ssize_t i_recvmsg(int fd, struct msghdr *m, int flags)
{
	bool at_once = flags_get(fd, flags);

	if (active() && channel_of(fd))
		flags &= ~MSG_WAITALL;
	GET("recvmsg", fd, at_once, m->msg_iovlen ? m->msg_iov->iov_base : NULL,
	    real_recvmsg(fd, m, flags));
}

/* ---- */

/* Writing a bit must not wait, whatever the flags of the descriptor are. */
static ssize_t put_now(int fd, const struct iovec *from, int n, int flags, bool send)
{
	int before = 0, e;
	ssize_t r;

	if (send) {
		struct msghdr m = { .msg_iov = (struct iovec *)(uintptr_t)from, .msg_iovlen = (size_t)n };

		return real_sendmsg(fd, &m, flags | MSG_DONTWAIT);
	}
	before = real_fcntl(fd, F_GETFL);
	if (!(before & O_NONBLOCK))
		sys3(SYS_fcntl, fd, F_SETFL, before | O_NONBLOCK);
	r = real_writev(fd, from, n);
	e = *real.errno_location();
	if (!(before & O_NONBLOCK))
		sys3(SYS_fcntl, fd, F_SETFL, before);
	*real.errno_location() = e;
	return r;
}

static ssize_t broken(ssize_t r, int flags)
{
	if (r < 0 && *real.errno_location() == EPIPE && !(flags & MSG_NOSIGNAL)) {
		signal_pipe();
		*real.errno_location() = EPIPE;
	}
	return r;
}

/* All of it, into a channel. */
static ssize_t put(int fd, const char *from, size_t n, int flags, bool send)
{
	bool at_once = flags & MSG_DONTWAIT || sys2(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK;
	size_t done = 0;

	for (;;) {
		struct iovec rest = { (char *)(uintptr_t)from + done, n - done };
		ssize_t r;

		if (!channel_wait(fd, POLLOUT, at_once))
			return done ? (ssize_t)done : -1;
		r = put_now(fd, &rest, 1, flags, send);
		if (r < 0 && *real.errno_location() == EAGAIN && !at_once) {
			unseen("a write to a channel has room, but not enough, and is tried again and "
			       "again",
			       NULL);
			continue;
		}
		if (r < 0)
			return done ? (ssize_t)done : broken(r, flags);
		done += (size_t)r;
		if (at_once || done >= n)
			return (ssize_t)done;
	}
}

/* False: the call is done, with *r. */
static bool may_put(const char *name, int fd, const void *from, size_t n, int flags, bool send,
		    ssize_t *r)
{
	unsigned channel = channel_used(fd);

	inherited_is_written(fd);
	unseen_memory(name, (uintptr_t)from, n, false);
	if (!channel) {
		descriptor_is_used(name, fd, true, false);
		return true;
	}
	*r = put(fd, from, n, flags, send);
	return false;
}

ssize_t i_write(int fd, const void *from, size_t n);
ssize_t i_write(int fd, const void *from, size_t n)
{
	ssize_t r;

	if (active() && !may_put("write", fd, from, n, 0, false, &r))
		return r;
	r = real_write(fd, from, n);
	return active() ? broken(r, 0) : r;
}

ssize_t i_send(int fd, const void *from, size_t n, int flags);
ssize_t i_send(int fd, const void *from, size_t n, int flags)
{
	ssize_t r;

	if (active() && !may_put("send", fd, from, n, flags, true, &r))
		return r;
	r = real_send(fd, from, n, flags);
	return active() ? broken(r, flags) : r;
}

/* In one piece; where that does not fit, the call says so, as it may. */
static bool room(const char *name, int fd, int flags, const struct iovec *from, size_t n)
{
	unsigned channel = channel_used(fd);

	for (size_t i = 0; i < n; i++)
		unseen_memory(name, (uintptr_t)from[i].iov_base, from[i].iov_len, false);
	inherited_is_written(fd);
	if (channel)
		return channel_wait(fd, POLLOUT, flags & MSG_DONTWAIT);
	descriptor_is_used(name, fd, true, false);
	return true;
}

ssize_t i_writev(int fd, const struct iovec *from, int n);
ssize_t i_writev(int fd, const struct iovec *from, int n)
{
	if (!active())
		return real_writev(fd, from, n);
	if (n == 1)
		return i_write(fd, from->iov_base, from->iov_len);
	if (!room("writev", fd, 0, from, n > 0 ? (size_t)n : 0))
		return -1;
	return broken(channel_of(fd) ? put_now(fd, from, n, 0, false) : real_writev(fd, from, n), 0);
}

ssize_t i_sendto(int fd, const void *from, size_t n, int flags, __CONST_SOCKADDR_ARG a, socklen_t size);
ssize_t i_sendto(int fd, const void *from, size_t n, int flags, __CONST_SOCKADDR_ARG a, socklen_t size)
{
	struct iovec one = { (void *)(uintptr_t)from, n };

	if (!a.__sockaddr__)
		return i_send(fd, from, n, flags);
	if (!active())
		return real_sendto(fd, from, n, flags, a, size);
	if (!room("sendto", fd, flags, &one, 1))
		return -1;
	if (channel_of(fd))
		flags |= MSG_DONTWAIT;
	return broken(real_sendto(fd, from, n, flags, a, size), flags);
}

ssize_t i_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t i_sendmsg(int fd, const struct msghdr *m, int flags)
{
	if (!active())
		return real_sendmsg(fd, m, flags);
	if (!room("sendmsg", fd, flags, m->msg_iov, m->msg_iovlen))
		return -1;
	if (channel_of(fd))
		flags |= MSG_DONTWAIT;
	return broken(real_sendmsg(fd, m, flags), flags);
}

/* ---- events, and files at an offset ---- */

int i_eventfd_read(int fd, uint64_t *value);
int i_eventfd_read(int fd, uint64_t *value)
{
	return i_read(fd, value, sizeof *value) == sizeof *value ? 0 : -1;
}

int i_eventfd_write(int fd, uint64_t value);
int i_eventfd_write(int fd, uint64_t value)
{
	return i_write(fd, &value, sizeof value) == sizeof value ? 0 : -1;
}

ssize_t i_pread(int fd, void *to, size_t n, off_t at);
ssize_t i_pread(int fd, void *to, size_t n, off_t at)
{
	if (active())
		descriptor_is_used("pread", fd, false, true);
	return real_pread(fd, to, n, at);
}

ssize_t i_pread64(int fd, void *to, size_t n, off_t at);
ssize_t i_pread64(int fd, void *to, size_t n, off_t at)
{
	return i_pread(fd, to, n, at);
}

ssize_t i_pwrite(int fd, const void *from, size_t n, off_t at);
ssize_t i_pwrite(int fd, const void *from, size_t n, off_t at)
{
	if (active()) {
		inherited_is_written(fd);
		descriptor_is_used("pwrite", fd, true, true);
	}
	return real_pwrite(fd, from, n, at);
}

ssize_t i_pwrite64(int fd, const void *from, size_t n, off_t at);
ssize_t i_pwrite64(int fd, const void *from, size_t n, off_t at)
{
	return i_pwrite(fd, from, n, at);
}

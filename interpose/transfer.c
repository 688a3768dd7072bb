/* SPDX-License-Identifier: MIT
 *
 * Reading and writing descriptors: of channels steps, which wait until there is something to read or room to write.
 * A write that does not fit is several, as its reader sees it.
 */
#include "channels.h"
#include "../runtime/unseen.h"
#include "changes.h"
#include "sending.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

/* Of how many bytes the call says that it wants them, where that can be nothing. */
#define WANTED SIZE_MAX

/* A call that ends at once whatever is there: of nothing, of less than an event is, or at the wrong end. */
static bool in_vain(int fd, size_t n, bool writes)
{
	const enum channel_kind kind = channel_kind(fd);
	const long mode = sys2(SYS_fcntl, fd, F_GETFL) & O_ACCMODE;
	int type = SOCK_STREAM;
	socklen_t size = sizeof type;

	if (mode == (writes ? O_RDONLY : O_WRONLY) || kind == EPOLL || kind == QUEUE)
		return true;
	if (kind == EVENT || kind == TIMER)
		return n < sizeof(uint64_t);
	if (!n && writes && kind == SOCKETS)
		sys5(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &size);
	return !n && type == SOCK_STREAM;
}

/* False: it fails. */
static bool may_get(const char *name, int fd, size_t n, bool at_once)
{
	inherited_is_read(fd);
	if (!channel_look(fd, LP_EV_RMW, at_once || !n ? 0 : POLLIN)) {
		cancellation_point();
		descriptor_is_used(name, fd, false, false);
		return true;
	}
	if (!in_vain(fd, n, false))
		return channel_wait(fd, POLLIN, at_once);
	cancellation_point();
	channel_use(fd, LP_EV_RMW);
	return true;
}

static void given(const char *name, const struct iovec *all, size_t n, size_t bytes, bool writes)
{
	for (size_t i = 0; i < n && bytes; i++) {
		size_t here = all[i].iov_len < bytes ? all[i].iov_len : bytes;

		unseen_memory(name, (uintptr_t)all[i].iov_base, here, writes);
		bytes -= here;
	}
}

static ssize_t got(const char *name, const struct iovec *to, size_t n, ssize_t bytes)
{
	if (bytes > 0)
		given(name, to, n, (size_t)bytes, true);
	signals_of_others();
	return bytes;
}

static ssize_t got_in(const char *name, void *to, ssize_t bytes)
{
	struct iovec one = { to, bytes > 0 ? (size_t)bytes : 0 };

	return got(name, &one, 1, bytes);
}

#define GET(name, fd, n, at_once, got_call, call)                                                  \
	do {                                                                                       \
		if (!active())                                                                     \
			return call;                                                               \
		if (!may_get(name, fd, n, at_once))                                                \
			return -1;                                                                 \
		return got_call;                                                                   \
	} while (0)
#define GET_IN(name, fd, n, at_once, to, call) GET(name, fd, n, at_once, got_in(name, to, call), call)

static ssize_t read_now(int fd, void *to, size_t n)
{
	ssize_t bytes = real_read(fd, to, n);

	if (active() && !channel_of(fd))
		random_is_read(fd, to, bytes);
	return bytes;
}

ssize_t i_read(int fd, void *to, size_t n);
ssize_t i_read(int fd, void *to, size_t n)
{
	if (active() && channel_kind(fd) == SIGNALS)
		return got_in("read", to, signal_descriptor_read(fd, to, n));
	GET_IN("read", fd, n, false, to, read_now(fd, to, n));
}

ssize_t i___read_chk(int fd, void *to, size_t n, size_t room);
ssize_t i___read_chk(int fd, void *to, size_t n, size_t room)
{
	return room < n ? real___read_chk(fd, to, n, room) : i_read(fd, to, n);
}

static size_t size_of(const struct iovec *all, size_t n)
{
	size_t size = 0;

	for (size_t i = 0; i < n; i++)
		size += all[i].iov_len;
	return size;
}

static ssize_t readv_now(int fd, const struct iovec *to, int n)
{
	ssize_t bytes = real_readv(fd, to, n), left = bytes;

	for (int i = 0; left > 0 && active() && !channel_of(fd); i++) {
		ssize_t here = (ssize_t)to[i].iov_len < left ? (ssize_t)to[i].iov_len : left;

		random_is_read(fd, to[i].iov_base, here);
		left -= here;
	}
	return bytes;
}

ssize_t i_readv(int fd, const struct iovec *to, int n);
ssize_t i_readv(int fd, const struct iovec *to, int n)
{
	size_t count = n > 0 ? (size_t)n : 0;

	if (active() && channel_kind(fd) == SIGNALS) {
		if (n == 1)
			return i_read(fd, to->iov_base, to->iov_len);
		refuse("the program reads signals from a descriptor into several places (readv): use read");
	}
	GET("readv", fd, size_of(to, count), false, got("readv", to, count, readv_now(fd, to, n)),
	    readv_now(fd, to, n));
}

/* As much as is asked for would be waited for bit by bit. */
static bool flags_get(int fd, int *flags)
{
	if (active() && *flags & MSG_WAITALL && channel_of(fd)) {
		unseen("MSG_WAITALL gets what is there when it begins", NULL);
		*flags &= ~MSG_WAITALL;
	}
	return *flags & MSG_DONTWAIT;
}

ssize_t i_recv(int fd, void *to, size_t n, int flags);
ssize_t i_recv(int fd, void *to, size_t n, int flags)
{
	bool at_once = flags_get(fd, &flags);

	GET_IN("recv", fd, WANTED, at_once, to, real_recv(fd, to, n, flags));
}

ssize_t i___recv_chk(int fd, void *to, size_t n, size_t room, int flags);
ssize_t i___recv_chk(int fd, void *to, size_t n, size_t room, int flags)
{
	bool at_once = flags_get(fd, &flags);

	GET_IN("recv", fd, WANTED, at_once, to, real___recv_chk(fd, to, n, room, flags));
}

ssize_t i_recvfrom(int fd, void *to, size_t n, int flags, __SOCKADDR_ARG a, socklen_t *size);
ssize_t i_recvfrom(int fd, void *to, size_t n, int flags, __SOCKADDR_ARG a, socklen_t *size)
{
	bool at_once = flags_get(fd, &flags);

	GET_IN("recvfrom", fd, WANTED, at_once, to, real_recvfrom(fd, to, n, flags, a, size));
}

ssize_t i_recvmsg(int fd, struct msghdr *m, int flags);
ssize_t i_recvmsg(int fd, struct msghdr *m, int flags)
{
	bool at_once = flags_get(fd, &flags);

	GET("recvmsg", fd, WANTED, at_once, got("recvmsg", m->msg_iov, m->msg_iovlen, real_recvmsg(fd, m, flags)),
	    real_recvmsg(fd, m, flags));
}

/* ---- */

/* What is sent: by write and writev, or with this header and these flags. */
struct sent_so {
	const struct msghdr *header;
	int flags;
};

/* Writing a bit must not wait, whatever the flags of the descriptor are. What comes with a message comes with its
 * first bit. */
static ssize_t put_now(int fd, const struct iovec *from, size_t n, struct sent_so how, bool first)
{
	int before = 0, e;
	ssize_t r;

	if (how.header) {
		struct msghdr m = *how.header;

		m.msg_iov = (struct iovec *)(uintptr_t)from;
		m.msg_iovlen = n;
		if (!first)
			m.msg_controllen = 0;
		return real_sendmsg(fd, &m, how.flags | MSG_DONTWAIT);
	}
	before = real_fcntl(fd, F_GETFL);
	if (!(before & O_NONBLOCK))
		sys3(SYS_fcntl, fd, F_SETFL, before | O_NONBLOCK);
	r = real_writev(fd, from, (int)n);
	e = *real.errno_location();
	if (!(before & O_NONBLOCK))
		sys3(SYS_fcntl, fd, F_SETFL, before);
	*real.errno_location() = e;
	return r;
}

/* Of sockets only streams end the process. */
static ssize_t broken(int fd, ssize_t r, int flags)
{
	int type = SOCK_STREAM;
	socklen_t size = sizeof type;

	if (r >= 0 || *real.errno_location() != EPIPE || flags & MSG_NOSIGNAL)
		return r;
	sys5(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &size);
	if (type == SOCK_STREAM) {
		signal_pipe();
		*real.errno_location() = EPIPE;
	}
	return r;
}

/* All of it, into a channel. */
static ssize_t put(int fd, const struct iovec *from, size_t n, struct sent_so how)
{
	bool at_once = how.flags & MSG_DONTWAIT || sys2(SYS_fcntl, fd, F_GETFL) & O_NONBLOCK;
	size_t done = 0, i = 0, part = 0; /* of from[i] */

	for (;;) {
		struct iovec rest;
		ssize_t r;

		if (!channel_wait(fd, POLLOUT, at_once))
			return done ? (ssize_t)done : -1;
		if (part)
			rest = (struct iovec){ (char *)from[i].iov_base + part, from[i].iov_len - part };
		r = part ? put_now(fd, &rest, 1, how, false) : put_now(fd, from + i, n - i, how, !done);
		if (r < 0 && *real.errno_location() == EAGAIN && !at_once) {
			/* There is room, but not enough. */
			if (!channel_wait_for_change(fd))
				return done ? (ssize_t)done : -1;
			continue;
		}
		if (r < 0)
			return done ? (ssize_t)done : broken(fd, r, how.flags);
		done += (size_t)r;
		for (part += (size_t)r; i < n && part >= from[i].iov_len; i++)
			part -= from[i].iov_len;
		if (at_once || i == n)
			return (ssize_t)done;
	}
}

/* False: the call is done, with *r. */
static bool may_put(const char *name, int fd, const struct iovec *from, size_t n, struct sent_so how, ssize_t *r)
{
	inherited_is_written(fd);
	if (channel_kind(fd) == SIGNALS || channel_kind(fd) == TIMER) {
		*r = fail(EINVAL);
		return false;
	}
	given(name, from, n, SIZE_MAX, false);
	if (!channel_look(fd, LP_EV_RMW, how.flags & MSG_DONTWAIT ? 0 : POLLOUT)) {
		cancellation_point();
		descriptor_is_used(name, fd, true, false);
		return true;
	}
	if (in_vain(fd, size_of(from, n), true)) {
		cancellation_point();
		channel_use(fd, LP_EV_RMW);
		*r = broken(fd, put_now(fd, from, n, how, true), how.flags);
	} else {
		*r = put(fd, from, n, how);
	}
	return false;
}

ssize_t i_write(int fd, const void *from, size_t n);
ssize_t i_write(int fd, const void *from, size_t n)
{
	struct iovec one = { (void *)(uintptr_t)from, n };
	ssize_t r;

	if (active() && !may_put("write", fd, &one, 1, (struct sent_so){ 0 }, &r))
		return r;
	r = real_write(fd, from, n);
	return active() ? broken(fd, r, 0) : r;
}

ssize_t i_writev(int fd, const struct iovec *from, int n);
ssize_t i_writev(int fd, const struct iovec *from, int n)
{
	ssize_t r;

	if (active() && n >= 0 && !may_put("writev", fd, from, (size_t)n, (struct sent_so){ 0 }, &r))
		return r;
	r = real_writev(fd, from, n);
	return active() ? broken(fd, r, 0) : r;
}

ssize_t i_sendto(int fd, const void *from, size_t n, int flags, __CONST_SOCKADDR_ARG a, socklen_t size);
ssize_t i_sendto(int fd, const void *from, size_t n, int flags, __CONST_SOCKADDR_ARG a, socklen_t size)
{
	struct iovec one = { (void *)(uintptr_t)from, n };
	struct msghdr m = { .msg_name = (void *)(uintptr_t)a.__sockaddr__, .msg_namelen = size };
	ssize_t r;

	if (active() && !may_put("sendto", fd, &one, 1, (struct sent_so){ &m, flags }, &r))
		return r;
	r = real_sendto(fd, from, n, flags, a, size);
	return active() ? broken(fd, r, flags) : r;
}

ssize_t i_send(int fd, const void *from, size_t n, int flags);
ssize_t i_send(int fd, const void *from, size_t n, int flags)
{
	return i_sendto(fd, from, n, flags, (__CONST_SOCKADDR_ARG){ NULL }, 0);
}

ssize_t i_sendmsg(int fd, const struct msghdr *m, int flags);
ssize_t i_sendmsg(int fd, const struct msghdr *m, int flags)
{
	ssize_t r;

	if (active() && !may_put("sendmsg", fd, m->msg_iov, m->msg_iovlen, (struct sent_so){ m, flags }, &r))
		return r;
	r = real_sendmsg(fd, m, flags);
	return active() ? broken(fd, r, flags) : r;
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
	if (!active())
		return real_pread(fd, to, n, at);
	cancellation_point();
	channel_use(fd, LP_EV_READ);
	descriptor_is_used("pread", fd, false, true);
	return got_in("pread", to, real_pread(fd, to, n, at));
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
		cancellation_point();
		channel_use(fd, LP_EV_READ);
		inherited_is_written(fd);
		unseen_memory("pwrite", (uintptr_t)from, n, false);
		descriptor_is_used("pwrite", fd, true, true);
	}
	return real_pwrite(fd, from, n, at);
}

ssize_t i_pwrite64(int fd, const void *from, size_t n, off_t at);
ssize_t i_pwrite64(int fd, const void *from, size_t n, off_t at)
{
	return i_pwrite(fd, from, n, at);
}

/* SPDX-License-Identifier: MIT
 *
 * Asynchronous input and output, aio.h. libc has threads of its own for it, which nobody could schedule, nor take back with the
 * execution. Here a transfer is done at once, as it may be, and its notice comes then. libc's aio_error, aio_return and
 * aio_suspend find in the request what is left there.
 */
#include "../runtime/unseen.h"
#include "changes.h"
#include "channels.h"
#include "sending.h"
#include "timers.h"

#include <aio.h>
#include <errno.h>
#include <fcntl.h>

#define MOST_LESS 20 /* by how much a request may lower its priority */

static long at_place(const struct aiocb *a, bool writes)
{
	const long fd = a->aio_fildes, buffer = (long)a->aio_buf, n = (long)a->aio_nbytes;
	long r = sys4(writes ? SYS_pwrite64 : SYS_pread64, fd, buffer, n, a->aio_offset);

	return r == -ESPIPE ? sys3(writes ? SYS_write : SYS_read, fd, buffer, n) : r;
}

static long transfer(const char *name, const struct aiocb *a, bool writes)
{
	long r;

	if (channel_of(a->aio_fildes))
		refuse("the program uses asynchronous input and output on a pipe, an event or a socket: let a "
		       "thread of its own read or write");
	if (writes) {
		inherited_is_written(a->aio_fildes);
		unseen_memory(name, (uintptr_t)a->aio_buf, a->aio_nbytes, false);
	} else {
		inherited_is_read(a->aio_fildes);
	}
	descriptor_is_used(name, a->aio_fildes, writes, true);
	r = at_place(a, writes);
	if (r > 0 && !writes)
		unseen_memory(name, (uintptr_t)a->aio_buf, (size_t)r, true);
	return r;
}

static void notice(const struct sigevent *event)
{
	struct notice n;

	if (event->sigev_notify == SIGEV_THREAD) {
		notice_of(&n, event);
		notice_comes(&n);
	} else if (event->sigev_notify == SIGEV_SIGNAL && sig_valid(event->sigev_signo)) {
		send_step(SENT_PROCESS);
		signal_comes(NULL, event->sigev_signo, SI_ASYNCIO, (uint64_t)event->sigev_value.sival_ptr);
		take_now();
	}
}

static int failed(struct aiocb *a, int error)
{
	a->__error_code = error;
	a->__return_value = -1;
	return fail(error);
}

static bool has_priority(const struct aiocb *a)
{
	return a->aio_reqprio >= 0 && a->aio_reqprio <= MOST_LESS;
}

static void done(const char *name, struct aiocb *a, long result)
{
	unseen("asynchronous input and output (", name, ") is done at once: that it is done later is not explored", NULL);
	a->__error_code = result < 0 ? (int)-result : 0;
	a->__return_value = result < 0 ? -1 : result;
}

static int request(const char *name, struct aiocb *a, bool writes)
{
	if (!has_priority(a))
		return failed(a, EINVAL);
	done(name, a, transfer(name, a, writes));
	return 0;
}

static int noticed(struct aiocb *a, int r)
{
	if (!r)
		notice(&a->aio_sigevent);
	return r;
}

int i_aio_read(struct aiocb *a);
int i_aio_read(struct aiocb *a)
{
	return active() ? noticed(a, request("aio_read", a, false)) : real_aio_read(a);
}

int i_aio_write(struct aiocb *a);
int i_aio_write(struct aiocb *a)
{
	return active() ? noticed(a, request("aio_write", a, true)) : real_aio_write(a);
}

int i_aio_fsync(int how, struct aiocb *a);
int i_aio_fsync(int how, struct aiocb *a)
{
	if (!active())
		return real_aio_fsync(how, a);
	if (how != O_SYNC && how != O_DSYNC)
		return fail(EINVAL);
	if (sys2(SYS_fcntl, a->aio_fildes, F_GETFL) < 0)
		return fail(EBADF);
	done("aio_fsync", a, sys1(how == O_SYNC ? SYS_fsync : SYS_fdatasync, a->aio_fildes));
	return noticed(a, 0);
}

/* One of a list. Who waits for all gets no notice of it. */
static int listed(struct aiocb *a, bool waits)
{
	int r;

	if (a->aio_lio_opcode != LIO_READ && a->aio_lio_opcode != LIO_WRITE)
		return failed(a, EINVAL);
	if (waits)
		a->aio_sigevent.sigev_notify = SIGEV_NONE;
	r = request("lio_listio", a, a->aio_lio_opcode == LIO_WRITE);
	noticed(a, r);
	return waits && a->__return_value == -1 ? -1 : r;
}

int i_lio_listio(int mode, struct aiocb *const *list, int n, struct sigevent *event);
int i_lio_listio(int mode, struct aiocb *const *list, int n, struct sigevent *event)
{
	int r = 0;

	if (!active())
		return real_lio_listio(mode, list, n, event);
	if (mode != LIO_WAIT && mode != LIO_NOWAIT)
		return fail(EINVAL);
	for (int i = 0; i < n; i++)
		if (list[i] && list[i]->aio_lio_opcode != LIO_NOP && listed(list[i], mode == LIO_WAIT))
			r = -1;
	if (mode == LIO_NOWAIT && event)
		notice(event);
	return r ? fail(EIO) : 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Asynchronous input and output: what calls return, and what is left in requests when they are done.
 */
#include "same.h"

#include <aio.h>
#include <fcntl.h>

static char bytes[8];
static int fd;

static struct aiocb request(int descriptor, size_t n, off_t at, int how)
{
	struct aiocb a;

	memset(&a, 0, sizeof a);
	a.aio_fildes = descriptor;
	a.aio_buf = bytes;
	a.aio_nbytes = n;
	a.aio_offset = at;
	a.aio_lio_opcode = how;
	a.aio_sigevent.sigev_notify = SIGEV_NONE;
	return a;
}

static void ended(struct aiocb *a)
{
	const struct aiocb *const list[] = { a };

	while (aio_error(a) == EINPROGRESS)
		aio_suspend(list, 1, NULL);
	R(aio_error(a));
	V(aio_return(a));
}

static void alone(struct aiocb a, bool writes)
{
	E(writes ? aio_write(&a) : aio_read(&a));
	ended(&a);
}

static void lists(void)
{
	struct aiocb a = request(fd, 2, 0, LIO_READ), b = request(fd, 2, 4, LIO_WRITE), c = request(-1, 1, 0, LIO_READ),
		     d = request(fd, 1, 0, LIO_NOP), e = request(fd, 1, 0, 99);
	struct aiocb *all[] = { &a, NULL, &b, &d }, *bad[] = { &a, &c }, *unknown[] = { &e };

	E(lio_listio(LIO_WAIT, all, 4, NULL));
	ended(&a);
	ended(&b);
	E(lio_listio(LIO_WAIT, bad, 2, NULL));
	ended(&c);
	E(lio_listio(LIO_NOWAIT, bad, 1, NULL));
	ended(&a);
	E(lio_listio(LIO_WAIT, unknown, 1, NULL));
	E(lio_listio(77, all, 4, NULL));
	E(lio_listio(LIO_WAIT, all, 0, NULL));
}

static void syncs(void)
{
	struct aiocb a = request(fd, 0, 0, 0);
	int reads = open("/dev/null", O_RDONLY);

	E(aio_fsync(O_SYNC, &a));
	ended(&a);
	E(aio_fsync(O_DSYNC, &a));
	ended(&a);
	E(aio_fsync(0, &a));
	a.aio_fildes = reads;
	E(aio_fsync(O_SYNC, &a));
	ended(&a);
	a.aio_fildes = -1;
	E(aio_fsync(O_SYNC, &a));
	close(reads);
	a = request(fd, 1, 0, 0);
	E(aio_cancel(fd, NULL));
	E(aio_cancel(-1, NULL));
}

void calls(void)
{
	char name[] = "asyncXXXXXX";
	struct aiocb less = request(fd, 1, 0, 0);

	fd = mkstemp(name);
	unlink(name);
	memcpy(bytes, "abcdefg", 8);
	alone(request(fd, 6, 0, 0), true);
	alone(request(fd, 8, 2, 0), false);
	puts(bytes);
	alone(request(fd, 8, 100, 0), false);
	alone(request(fd, 0, 0, 0), false);
	alone(request(-1, 1, 0, 0), false);
	alone(request(-1, 1, 0, 0), true);
	alone(request(fd, 1, -1, 0), false);
	less.aio_reqprio = -1;
	E(aio_read(&less));
	R(aio_error(&less));
	less.aio_reqprio = 1000;
	E(aio_write(&less));
	lists();
	syncs();
	close(fd);
}

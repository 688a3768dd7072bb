/* SPDX-License-Identifier: MIT
 *
 * Descriptors that the process was given. An execution may close or replace them, change their flags, or
 * read from them. Standard input has an open file of its own, so that another process that has the same
 * (a replay beside the search) does not move its offset. What stdio does with them, it does inside libc;
 * that it did something is seen in its files. Standard output and error are those of runtime/output.c.
 */
#include "../runtime/memory.h"
#include "../runtime/output.h"
#include "../runtime/run_dir.h"
#include "../runtime/unseen.h"
#include "changes.h"
#include "interpose.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>

#define MOST	  64  /* that can be put back */
#define MOST_OPEN 900 /* rt->fd_first is not above that */

/* Children of --isolate=fork share open files with us, so what they have changed is ours to know. */
static struct inherited {
	int n;
	bool changed;
	uint64_t all[(MOST_OPEN + 63) / 64]; /* a bit for each descriptor */
	struct given {
		int fd, copy;
		int cloexec;
		long flags, offset; /* no offset: negative */
		bool moved;         /* by this execution, for all we know */
	} list[MOST];
} * given;

static FILE *input, *output, *errors;

/* The same file at the same place, opened once more. */
static void input_own(void)
{
	long flags = sys2(SYS_fcntl, 0, F_GETFL), offset = sys3(SYS_lseek, 0, 0, SEEK_CUR), fd;
	struct stat s;

	if (flags < 0 || offset < 0 || sys2(SYS_fstat, 0, &s) < 0 || !S_ISREG(s.st_mode))
		return;
	fd = sys3(SYS_openat, AT_FDCWD, "/proc/self/fd/0",
		  flags & (O_ACCMODE | O_APPEND | O_NONBLOCK));
	if (fd < 0)
		return;
	sys3(SYS_lseek, fd, offset, SEEK_SET);
	sys3(SYS_dup3, fd, 0, 0);
	sys1(SYS_close, fd);
}

static void keep(int fd)
{
	struct given *g = &given->list[given->n];

	if (fd == 1 || fd == 2)
		return;
	if (given->n == MOST)
		return;
	g->fd = fd;
	g->flags = sys2(SYS_fcntl, fd, F_GETFL);
	g->cloexec = sys2(SYS_fcntl, fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0;
	g->offset = sys3(SYS_lseek, fd, 0, SEEK_CUR);
	g->copy = descriptor_copy(fd);
	given->n++;
}

void inherited_checkpoint(void)
{
	struct pollfd all[MOST_OPEN];

	given = memory_get(sizeof *given);
	input = stdin;
	output = stdout;
	errors = stderr;
	input_own();
	for (int fd = 0; fd < rt->fd_first; fd++)
		all[fd] = (struct pollfd){ .fd = fd };
	sys3(SYS_poll, all, rt->fd_first, 0);
	for (int fd = 0; fd < rt->fd_first; fd++)
		if (!(all[fd].revents & POLLNVAL)) {
			given->all[fd / 64] |= bit((unsigned)fd % 64);
			keep(fd);
		}
}

bool inherited(int fd)
{
	return fd >= 0 && fd < rt->fd_first && given->all[fd / 64] >> fd % 64 & 1;
}

static struct given *given_as(int fd)
{
	for (int i = 0; i < given->n; i++)
		if (given->list[i].fd == fd)
			return &given->list[i];
	return NULL;
}

void inherited_changes(int fd)
{
	struct given *g;

	if (!inherited(fd))
		return;
	given->changed = true;
	g = given_as(fd);
	if (g)
		g->moved = true;
	else if (fd != 1 && fd != 2)
		unseen("the program was given more descriptors than can be put back after an "
		       "execution, and changes one of the others",
		       NULL);
}

void inherited_may_change(void)
{
	given->changed = true;
}

void inherited_close_others(void)
{
	int from = 0;

	for (int fd = 0; fd <= rt->fd_first; fd++) {
		if (fd < rt->fd_first && !inherited(fd))
			continue;
		if (from < fd)
			sys3(SYS_close_range, from, fd - 1, 0);
		from = fd + 1;
	}
}

/* What was read from there is gone. */
static bool is_stream(int fd)
{
	const struct given *g = given_as(fd);

	return g && g->offset < 0;
}

static void refuse_stream(void)
{
	if (!*rt->config.replay)
		refuse("the program reads its standard input, or another descriptor that it was given, "
		    "which is a pipe or a terminal: only one execution could. Give it a file: "
		    "./program <FILE");
}

void inherited_is_read(int fd)
{
	if (inherited(fd) && is_stream(fd))
		refuse_stream();
	inherited_changes(fd);
}

void inherited_is_written(int fd)
{
	struct stat s;

	if (!inherited(fd) || fd == 1 || fd == 2)
		return;
	inherited_changes(fd);
	if (!sys2(SYS_fstat, fd, &s) && !S_ISCHR(s.st_mode))
		unseen("the program writes to a descriptor that it was given: what it writes there is "
		       "not taken back",
		       NULL);
}

void inherited_end(void)
{
	if (input->_IO_buf_base && input->_fileno == 0) {
		if (is_stream(0))
			refuse_stream();
		given->changed = true;
	}
	if (input->_fileno < 0 || output->_fileno < 0 || errors->_fileno < 0)
		given->changed = true;
}

bool inherited_changed(void)
{
	return given->changed;
}

void inherited_rollback(void)
{
	if (LIKELY(!given->changed))
		return;
	given->changed = false;
	for (int i = 0; i < given->n; i++) {
		struct given *g = &given->list[i];
		bool writes_only = (g->flags & O_ACCMODE) == O_WRONLY;

		if (!rt->config.fork)
			sys3(SYS_dup3, g->copy, g->fd, g->cloexec);
		if (sys2(SYS_fcntl, g->copy, F_GETFL) != g->flags)
			sys3(SYS_fcntl, g->copy, F_SETFL, g->flags);
		/* Others may share what is only written to. */
		if (g->offset >= 0 && (g->moved || !writes_only))
			sys3(SYS_lseek, g->copy, g->offset, SEEK_SET);
		g->moved = false;
	}
	if (!rt->config.fork)
		restore_output();
}

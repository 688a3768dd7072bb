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
#include "changes.h"
#include "interpose.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#define MOST 64

/* Children of --isolate=fork share open files with us, so what they have changed is ours to know. */
static struct inherited {
	int n;
	bool changed;
	struct {
		int copy; /* -1: there is none */
		int cloexec;
		long flags, offset;
	} list[MOST];
} * inherited;

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

void inherited_checkpoint(int end)
{
	inherited = memory_get(sizeof *inherited);
	inherited->n = end < MOST ? end : MOST;
	input = stdin;
	output = stdout;
	errors = stderr;
	input_own();
	for (int fd = 0; fd < inherited->n; fd++) {
		inherited->list[fd].copy = -1;
		if (fd == 1 || fd == 2)
			continue;
		inherited->list[fd].flags = sys2(SYS_fcntl, fd, F_GETFL);
		if (inherited->list[fd].flags < 0)
			continue;
		inherited->list[fd].copy = descriptor_copy(fd);
		inherited->list[fd].cloexec =
			sys2(SYS_fcntl, fd, F_GETFD) & FD_CLOEXEC ? O_CLOEXEC : 0;
		inherited->list[fd].offset = sys3(SYS_lseek, fd, 0, SEEK_CUR);
	}
}

void inherited_changes(int fd)
{
	if (fd < inherited->n)
		inherited->changed = true;
}

void inherited_may_change(void)
{
	inherited->changed = true;
}

/* What was read from there is gone. */
static bool is_stream(int fd)
{
	return inherited->list[fd].copy >= 0 && inherited->list[fd].offset < 0;
}

static void refuse_stream(void)
{
	if (!*rt->config.replay)
		die("the program reads its standard input, or another descriptor that it was given, "
		    "which is a pipe or a terminal: only one execution could. Give it a file: "
		    "./program <FILE");
}

void inherited_is_read(int fd)
{
	if (fd >= 0 && fd < inherited->n && is_stream(fd))
		refuse_stream();
	inherited_changes(fd);
}

void inherited_end(void)
{
	if (input->_IO_buf_base && input->_fileno == 0) {
		if (inherited->n && is_stream(0))
			refuse_stream();
		inherited->changed = true;
	}
	if (input->_fileno < 0 || output->_fileno < 0 || errors->_fileno < 0)
		inherited->changed = true;
}

bool inherited_changed(void)
{
	return inherited->changed;
}

void inherited_rollback(void)
{
	if (LIKELY(!inherited->changed))
		return;
	inherited->changed = false;
	for (int fd = 0; fd < inherited->n; fd++) {
		int from = inherited->list[fd].copy;

		if (from < 0)
			continue;
		if (!rt->config.fork)
			sys3(SYS_dup3, from, fd, inherited->list[fd].cloexec);
		if (sys2(SYS_fcntl, from, F_GETFL) != inherited->list[fd].flags)
			sys3(SYS_fcntl, from, F_SETFL, inherited->list[fd].flags);
		if (inherited->list[fd].offset >= 0 &&
		    (inherited->list[fd].flags & O_ACCMODE) == O_RDONLY)
			sys3(SYS_lseek, from, inherited->list[fd].offset, SEEK_SET);
	}
	if (!rt->config.fork)
		restore_output();
}

/* SPDX-License-Identifier: MIT
 *
 * Which files, descriptors and attributes of the process a call is going to change, from letters in the
 * list of functions, one for each argument:
 *
 *	p  the name of a file; links are followed
 *	u  a name that a file loses
 *	l  the name of a file or link
 *	t  the same; if it is a directory, it gets another name
 *	D  the name of a directory that is listed
 *	d  the directory of the name that comes next
 *	o  flags of open: the name is only changed if they say so; a descriptor is opened
 *	m  the mode of fopen, behind the name, likewise
 *	b  an address: the name of a socket, or none
 *	s  the name of a shared memory object
 *	f  a descriptor
 *	F  the file that a descriptor is open on
 *	r  a descriptor that is read
 *	c  a descriptor that functions of stdio are going to use
 *	S  a stream that is closed, and its descriptor with it
 *	k  it may pass something from thread to thread, or wait, in the kernel
 *	-  nothing of interest
 *
 * Before the first argument: C, a cancellation point. After the last one: n, a descriptor is opened; a, any
 * descriptor may change; w, an attribute of the process does; x, another process is started.
 *
 * Names are looked up as the kernel does it, so that one file has one name whatever links lead there.
 */
#include "changes.h"
#include "../runtime/modules.h"
#include "../runtime/unseen.h"
#include "channels.h"
#include "closings.h"
#include "interpose.h"
#include "sending.h"
#include "stream_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>

#define NAME_MOST 4096

#define MOST_LINKS 40 /* as the kernel follows */

static char name[NAME_MOST], parent[NAME_MOST], target[NAME_MOST];

/* What the descriptor is open on, into `name`. Returns its length, or 0. */
static size_t name_of_descriptor(long fd)
{
	struct text t = { 0 };
	long n;

	text_add(&t, "/proc/self/fd/%u%c", (unsigned long)fd, '\0');
	n = sys3(SYS_readlink, t.s, name, NAME_MOST - 1);
	if (n <= 0 || name[0] != '/')
		return 0;
	name[n] = '\0';
	return (size_t)n;
}

/* The full name of what is there: its length, 0, or a negative errno. */
static long name_of(int dir, const char *path, long flags)
{
	long fd = sys3(SYS_openat, dir, path, flags | O_PATH | O_CLOEXEC), n;

	if (fd < 0)
		return fd;
	n = (long)name_of_descriptor(fd);
	sys1(SYS_close, fd);
	return n;
}

/* The full name of a path, or what it would be if it existed, into `name`. */
static bool find_name_of(int dir, const char *path, bool follow)
{
	long there = name_of(dir, path, 0), size;
	size_t n, last;

	if (there > 0 && follow)
		return true;
	if (there < 0 && there != -ENOENT && there != -ELOOP && there != -EACCES)
		return false; /* the call will fail, too */
	n = length(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	for (last = n; last && path[last - 1] != '/'; last--)
		;
	if (!n || last + 2 > NAME_MOST)
		return false;
	copy(parent, path, last);
	copy(parent + last, ".", 2);
	size = name_of(dir, parent, O_DIRECTORY);
	if (size <= 0 || (size_t)size + 2 + n - last > NAME_MOST)
		return false;
	if (name[size - 1] != '/')
		name[size++] = '/';
	copy(name + size, path + last, n - last);
	name[(size_t)size + n - last] = '\0';
	return true;
}

/* Where the link `name` leads, from the root, into `target`; false if it is none. */
static bool find_target(void)
{
	size_t last = length(name);
	long n;

	n = sys3(SYS_readlink, name, target, NAME_MOST - 1);
	if (n <= 0)
		return false;
	target[n] = '\0';
	if (target[0] == '/')
		return true;
	while (last && name[last - 1] != '/')
		last--;
	if (last + (size_t)n + 1 > NAME_MOST)
		return false;
	for (size_t i = (size_t)n + 1; i-- > 0;)
		target[last + i] = target[i];
	copy(target, name, last);
	return true;
}

/* Links that lead nowhere are followed, too: what is opened is made there. */
static bool find_name(int dir, const char *path, bool follow)
{
	for (int i = 0; i < MOST_LINKS; i++) {
		if (!find_name_of(dir, path, follow))
			return false;
		if (!follow || !find_target())
			return true;
		dir = AT_FDCWD;
		path = target;
	}
	return false;
}

static bool writes(const char *mode)
{
	for (; *mode && *mode != ','; mode++)
		if (*mode == 'w' || *mode == 'a' || *mode == '+')
			return true;
	return false;
}

/* May the call only read? */
static bool harmless(const char *what, const uint64_t *args)
{
	for (; *what; what++, args++) {
		if (*what == 'o')
			return !(*args & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC));
		if (*what == 'm')
			return *args && !writes((const char *)*args);
	}
	return false;
}

static void shared_object_changes(const char *object)
{
	struct text t = { 0 };

	while (*object == '/')
		object++;
	text_add(&t, "/dev/shm/%s%c", object, '\0');
	file_changes(t.s);
}

static void socket_changes(const struct sockaddr *address)
{
	if (address && address->sa_family == AF_UNIX && address->sa_data[0] &&
	    find_name(AT_FDCWD, address->sa_data, false))
		file_changes(name);
}

static void passes_unseen(const char *function)
{
	if (!alone())
		unseen("what ", function, " passes from thread to thread, or waits for, is no step", NULL);
}

/* The kernel knows none of the program's threads, but those behind them. */
static void directory_is_read(int dir, const char *path)
{
	static const char task[] = "task";
	struct text t = { 0 };
	size_t n = length(path);

	while (n > 1 && path[n - 1] == '/')
		n--;
	if (n < length(task) || !same(path + n - length(task), task, length(task)) || name_of(dir, path, O_DIRECTORY) <= 0)
		return;
	text_add(&t, "/proc/%u/task%c", (unsigned long)rt->target_pid, '\0');
	if (equal(name, t.s))
		refuse("the program looks for its threads in /proc/self/task, where they are not: it can join them, or count "
		       "them itself");
}

static void stream_closes(const char *function, const FILE *stream)
{
	stream_ends(function, stream);
	stream_called(&(struct stream_call){ .stream = stream, .how = STREAM_FLUSHES });
	stdio_closes(stream->_fileno);
}

/* What the name is read from: it may change meanwhile. */
static void name_is_read(const char *function, uint64_t name_at)
{
	if (rt->tracing && module_is_program(caller()))
		unseen_memory(function, name_at, 1, false);
}

void change_call(const uint64_t *args, void **entry)
{
	const char *function, *what = function_arguments(entry, &function);
	int dir = AT_FDCWD;
	bool reads;

	if (*what == 'C') {
		what++;
		cancellation_point();
	}
	reads = harmless(what, args);
	for (unsigned n = 0; *what; what++, n++) {
		if (*what == 'D' || *what == 't' || *what == 'p' || *what == 'l' || *what == 's')
			name_is_read(function, args[n]);
		switch (*what) {
		case 'd':
			dir = (int)args[n];
			break;
		case 'D':
			directory_is_read(dir, (const char *)args[n]);
			break;
		case 't':
			if (find_name(dir, (const char *)args[n], false))
				directory_moves(name);
			/* fall through */
		case 'p':
		case 'l':
		case 'u':
			if (!reads && args[n] && find_name(dir, (const char *)args[n], *what == 'p')) {
				file_changes(name);
				if (*what == 'u')
					file_loses_name(name);
			}
			break;
		case 's':
			if (!reads && args[n])
				shared_object_changes((const char *)args[n]);
			break;
		case 'b':
			socket_changes((const struct sockaddr *)args[n]);
			break;
		case 'm':
			random_stream_opens((const char *)args[n - 1]);
			/* fall through */
		case 'o':
		case 'n':
			table_changes();
			break;
		case 'c':
			descriptor_used(function, (int)args[n]);
			stdio_uses((int)args[n]);
			break;
		case 'S':
			if (args[n])
				stream_closes(function, (const FILE *)args[n]);
			break;
		case 'k':
			passes_unseen(function);
			break;
		case 'f':
			descriptor_used(function, (int)args[n]);
			inherited_changes((int)args[n]);
			break;
		case 'F':
			descriptor_used(function, (int)args[n]);
			if (name_of_descriptor((long)args[n]))
				file_changes(name);
			break;
		case 'r':
			descriptor_used(function, (int)args[n]);
			inherited_is_read((int)args[n]);
			break;
		case 'a':
			inherited_may_change();
			break;
		case 'w':
			attributes_change();
			break;
		case 'x':
			process_starts(function);
			break;
		}
	}
}

/* SPDX-License-Identifier: MIT
 *
 * Files that executions change: each execution finds them as the first one did. What is under a name is
 * kept when it is changed for the first time, in the memory of the runtime, which children of
 * --isolate=fork share. At the end of each execution the names that it has touched are put back, the
 * latest first, so a directory is there before what is in it, and empty before it is removed.
 *
 * Of devices, named pipes and sockets only their attributes are put back, and pipes that were removed. What
 * is in them is left alone.
 */
#include "../runtime/memory.h"
#include "../runtime/unseen.h"
#include "changes.h"
#include "interpose.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#define MOST_TOUCHED 4096
#define MOST_KEPT    (256UL << 20) /* bytes, of all files */

struct file {
	struct file *next;
	const char *name;
	enum { UNKNOWN, NOTHING, REGULAR, LINK, DIRECTORY, PIPE, OTHER } kind;
	struct stat stat;
	uint8_t *content; /* of a file, or where a link leads */
	size_t size;
	uint64_t touched; /* in which execution, of those with changes */
};

static struct files {
	struct file *list;
	struct file *touched[MOST_TOUCHED];
	unsigned ntouched;
	uint64_t executions;
	size_t kept;
} * files;

void files_checkpoint(void)
{
	files = memory_get(sizeof *files);
	files->executions = 1;
}

static void cannot(const char *name)
{
	unseen("an execution changes ", name,
	       ", and that is not taken back: later executions find it changed", NULL);
}

static long read_all(int fd, uint8_t *to, size_t size)
{
	size_t n = 0;
	long r = 1;

	for (; n < size && r > 0; n += r > 0 ? (size_t)r : 0)
		r = sys4(SYS_pread64, fd, to + n, size - n, n);
	return n == size ? 0 : -EIO;
}

static long write_all(int fd, const uint8_t *from, size_t size)
{
	size_t n = 0;
	long r = 1;

	for (; n < size && r > 0; n += r > 0 ? (size_t)r : 0)
		r = sys4(SYS_pwrite64, fd, from + n, size - n, n);
	return n == size ? 0 : -EIO;
}

static bool keep_content(struct file *f)
{
	long fd, r;

	f->size = (size_t)f->stat.st_size;
	if (f->size > MOST_KEPT - files->kept)
		return false;
	fd = sys3(SYS_openat, AT_FDCWD, f->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return false;
	f->content = memory_get(f->size + 1);
	files->kept += f->size;
	r = read_all((int)fd, f->content, f->size);
	sys1(SYS_close, fd);
	return r == 0;
}

static void look(struct file *f)
{
	long r = sys4(SYS_newfstatat, AT_FDCWD, f->name, &f->stat, AT_SYMLINK_NOFOLLOW);

	f->kind = UNKNOWN;
	if (r == -ENOENT) {
		f->kind = NOTHING;
	} else if (r < 0) {
		return;
	} else if (S_ISREG(f->stat.st_mode)) {
		if (keep_content(f))
			f->kind = REGULAR;
		else
			cannot(f->name);
	} else if (S_ISDIR(f->stat.st_mode)) {
		f->kind = DIRECTORY;
	} else if (S_ISLNK(f->stat.st_mode)) {
		f->content = memory_get((size_t)f->stat.st_size + 1);
		if (sys3(SYS_readlink, f->name, f->content, f->stat.st_size) == f->stat.st_size)
			f->kind = LINK;
	} else {
		f->kind = S_ISFIFO(f->stat.st_mode) ? PIPE : OTHER;
	}
}

static bool begins(const char *s, const char *with)
{
	return same(s, with, length(with));
}

static struct file *file_of(const char *name)
{
	size_t n = length(name) + 1;
	struct file *f;
	char *own;

	for (f = files->list; f; f = f->next)
		if (equal(f->name, name))
			return f;
	f = memory_get(sizeof *f);
	own = memory_get(n);
	copy(own, name, n);
	f->name = own;
	f->next = files->list;
	files->list = f;
	look(f);
	return f;
}

void file_changes(const char *name)
{
	struct file *f;

	/* A file without a name, or something of the kernel's. */
	if (begins(name, "/memfd:") || begins(name, "/proc/") || begins(name, "/sys/"))
		return;
	f = file_of(name);
	rt->status->files = 1;
	if (f->kind == UNKNOWN || f->touched == files->executions)
		return;
	if (files->ntouched == MOST_TOUCHED) {
		cannot(name);
		return;
	}
	f->touched = files->executions;
	files->touched[files->ntouched++] = f;
}

void directory_moves(const char *name)
{
	struct stat s;

	if (!sys4(SYS_newfstatat, AT_FDCWD, name, &s, AT_SYMLINK_NOFOLLOW) && S_ISDIR(s.st_mode))
		cannot(name);
}

static void removed(const char *name)
{
	long r = sys3(SYS_unlinkat, AT_FDCWD, name, 0);

	if (r == -EISDIR || r == -EPERM)
		r = sys3(SYS_unlinkat, AT_FDCWD, name, AT_REMOVEDIR);
	if (r < 0 && r != -ENOENT && r != -ENOTDIR)
		cannot(name);
}

/* The owner before the mode: to change the owner takes bits of the mode away. */
static bool put_back_attributes(const struct file *f, int at, const char *name, int flags)
{
	const struct timespec times[2] = { f->stat.st_atim, f->stat.st_mtim };
	struct stat now;
	long r = sys4(SYS_newfstatat, at, name, &now, flags);

	if (r < 0)
		return false;
	if (now.st_uid != f->stat.st_uid || now.st_gid != f->stat.st_gid) {
		r |= sys5(SYS_fchownat, at, name, f->stat.st_uid, f->stat.st_gid, flags);
		now.st_mode = 0;
	}
	if (now.st_mode != f->stat.st_mode && !S_ISLNK(f->stat.st_mode))
		r |= *name ? sys3(SYS_fchmodat, at, name, f->stat.st_mode & 07777)
			   : sys2(SYS_fchmod, at, f->stat.st_mode & 07777);
	if (f->kind != OTHER)
		sys4(SYS_utimensat, at, *name ? name : NULL, times, *name ? flags : 0);
	return !r;
}

static void put_back_content(const struct file *f)
{
	const long flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC;
	long fd = sys4(SYS_openat, AT_FDCWD, f->name, flags, 0600), r;

	if (fd == -EACCES && !sys2(SYS_chmod, f->name, 0600))
		fd = sys4(SYS_openat, AT_FDCWD, f->name, flags, 0600);
	if (fd < 0) {
		removed(f->name);
		fd = sys4(SYS_openat, AT_FDCWD, f->name, flags | O_EXCL, 0600);
	}
	if (fd < 0) {
		cannot(f->name);
		return;
	}
	r = write_all((int)fd, f->content, f->size);
	r |= sys2(SYS_ftruncate, fd, f->size);
	if (!put_back_attributes(f, (int)fd, "", AT_EMPTY_PATH) || r)
		cannot(f->name);
	sys1(SYS_close, fd);
}

/* Makes it again. */
static bool put_back(const struct file *f)
{
	switch (f->kind) {
	case DIRECTORY:
		return !sys3(SYS_mkdirat, AT_FDCWD, f->name, f->stat.st_mode & 07777);
	case LINK:
		return !sys3(SYS_symlinkat, f->content, AT_FDCWD, f->name);
	case PIPE:
		return !sys4(SYS_mknodat, AT_FDCWD, f->name, f->stat.st_mode, 0);
	default:
		return false;
	}
}

static bool is_there(const struct file *f, bool *nothing)
{
	struct stat now;
	long r = sys4(SYS_newfstatat, AT_FDCWD, f->name, &now, AT_SYMLINK_NOFOLLOW);

	*nothing = r < 0;
	if (r < 0 || (now.st_mode & S_IFMT) != (f->stat.st_mode & S_IFMT))
		return false;
	return f->kind == DIRECTORY || f->kind == PIPE ||
	       (now.st_ino == f->stat.st_ino && now.st_dev == f->stat.st_dev);
}

static void put_back_kind(const struct file *f)
{
	bool nothing, there = is_there(f, &nothing);

	if (!there && !nothing)
		removed(f->name);
	if ((!there && !put_back(f)) ||
	    !put_back_attributes(f, AT_FDCWD, f->name, AT_SYMLINK_NOFOLLOW))
		cannot(f->name);
}

bool files_changed(void)
{
	return files->ntouched;
}

void files_rollback(void)
{
	if (LIKELY(!files->ntouched))
		return;
	while (files->ntouched) {
		const struct file *f = files->touched[--files->ntouched];

		if (f->kind == NOTHING)
			removed(f->name);
		else if (f->kind == REGULAR)
			put_back_content(f);
		else
			put_back_kind(f);
	}
	files->executions++;
}

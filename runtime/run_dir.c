/* SPDX-License-Identifier: MIT
 *
 * The run directory: where it is, and what is written there once (format/run_dir.h).
 */
#include "run_dir.h"
#include "modules.h"
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

static uint64_t own[16]; /* of descriptors from rt->fd_first on: a bit each */

bool descriptor_is_ours(int fd)
{
	unsigned i = (unsigned)(fd - rt->fd_first);

	return fd >= rt->fd_first && i < 64 * sizeof own / sizeof *own && own[i / 64] >> i % 64 & 1;
}

int descriptor_copy(int fd)
{
	uint64_t limits[2];
	long r;

	if (!rt->fd_first) {
		rt->fd_first = 900;
		/* Copies of what the program was given are among them (interpose/inherited.c). */
		if (sys2(SYS_getrlimit, 7 /* RLIMIT_NOFILE */, limits) >= 0 && limits[0] < 1000)
			rt->fd_first = (int)(limits[0] - (limits[0] < 64 ? 16 : limits[0] / 4));
	}
	r = sys3(SYS_fcntl, fd, F_DUPFD_CLOEXEC, rt->fd_first);
	if (r < 0)
		die("no descriptor is left (errno %d); is there a limit on open files (ulimit -n)?",
		    -r);
	if ((unsigned)(r - rt->fd_first) < 64 * sizeof own / sizeof *own)
		own[(r - rt->fd_first) / 64] |= bit((unsigned)(r - rt->fd_first) % 64);
	return (int)r;
}

void descriptor_copy_close(int fd)
{
	const unsigned i = (unsigned)(fd - rt->fd_first);

	sys1(SYS_close, fd);
	if (i < 64 * sizeof own / sizeof *own)
		own[i / 64] &= ~bit(i % 64);
}

int run_dir_file(const char *name, int flags)
{
	int fresh = flags & O_APPEND ? 0 : O_TRUNC;
	long fd = sys4(SYS_openat, rt->fd_dir, name, flags | O_CREAT | fresh | O_CLOEXEC, 0644);
	int high;

	if (fd < 0)
		die("%s/%s cannot be written (errno %d)", rt->config.dir, name, -fd);
	high = descriptor_copy((int)fd);
	sys1(SYS_close, fd);
	return high;
}

static void add_escaped(struct text *t, const char *key, const char *value)
{
	text_add(t, "%s ", key);
	for (; *value; value++) {
		unsigned char c = (unsigned char)*value;

		if (c < 32 || c == '\\' || c == 127)
			text_add(t, "\\%c%c%c", '0' + (c >> 6), '0' + (c >> 3 & 7), '0' + (c & 7));
		else
			text_add(t, "%c", c);
		if (t->n > sizeof t->s - 16)
			return;
	}
	text_add(t, "\n");
}

/* A file that the program may read as its standard input, from the beginning. */
static void describe_input(struct text *t, int fd)
{
	char name[4096];
	long n = sys3(SYS_readlink, "/proc/self/fd/0", name, sizeof name - 1);

	if (n <= 0 || name[0] != '/' || sys3(SYS_lseek, 0, 0, 1 /* SEEK_CUR */) != 0)
		return;
	name[n] = '\0';
	if (sys2(SYS_access, name, 4 /* R_OK */) < 0)
		return;
	add_escaped(t, "input", name);
	text_flush(t, fd);
}

void run_dir_describe(char **argv)
{
	static const char *const checks[] = { "lin", "outcome", "none" };
	static const char *const policies[] = { "reuse", "thread", "quarantine" };
	static const char *const enforces[] = { LP_ENFORCE_NAMES };
	struct text t;
	char cwd[4096];
	int fd = run_dir_file("run", O_WRONLY);
	unsigned long argc = 0;

	t.n = 0;
	text_add(&t, "format %u\n", (unsigned long)LP_RUN_VERSION);
	add_escaped(&t, "program", rt->config.program);
	text_flush(&t, fd);
	add_escaped(&t, "cwd", sys2(SYS_getcwd, cwd, sizeof cwd) > 0 ? cwd : "?");
	text_flush(&t, fd);
	describe_input(&t, fd);
	while (argv[argc])
		argc++;
	text_add(&t, "argc %u\n", argc);
	for (unsigned long i = 0; i < argc; i++) {
		add_escaped(&t, "arg", argv[i]);
		text_flush(&t, fd);
	}
	text_add(&t,
		 "search %s\nseed %u\nmax-executions %u\nmax-time-ms %u\nmax-steps %u\ncheck "
		 "%s\nprogress %s\nisolate %s\nmalloc %s\n",
		 lp_search_name(rt->config.search), rt->config.seed, rt->config.max_executions,
		 (unsigned long)(rt->config.max_time * 1000), rt->config.max_steps,
		 checks[rt->config.check], lp_progress_name(rt->config.progress),
		 rt->config.fork ? "fork" : "rollback", policies[rt->config.malloc]);
	text_flush(&t, fd);
	if (rt->config.spurious)
		text_add(&t, "spurious yes\n");
	if (rt->config.observers || rt->config.symmetry)
		text_add(&t, "equivalence %s%s%s\n", rt->config.observers ? "observers" : "",
			 rt->config.observers && rt->config.symmetry ? "+" : "",
			 rt->config.symmetry ? "symmetry" : "");
	if (*rt->config.instrument)
		add_escaped(&t, "instrument", rt->config.instrument);
	if (*rt->config.skip)
		add_escaped(&t, "skip", rt->config.skip);
	if (*rt->config.blocks)
		text_add(&t, "enforce %s\n", enforces[rt->config.enforce]);
	text_flush(&t, fd);
	sys1(SYS_close, fd);
	fd = run_dir_file("modules", O_WRONLY);
	modules_file(&t, fd);
	sys1(SYS_close, fd);
}

void run_dir_make(void)
{
	char *dir = rt->config.dir;
	long r;

	if (*dir) {
		r = sys2(SYS_mkdir, dir, 0777);
		if (r < 0 && r != -EEXIST)
			die("%s: the run directory cannot be made (errno %d)", dir, -r);
	} else {
		for (unsigned i = 1;; i++) {
			struct text t;

			t.n = 0;
			text_add(&t, "linchpin.%u", (unsigned long)i);
			copy(dir, t.s, t.n);
			dir[t.n] = '\0';
			r = sys2(SYS_mkdir, dir, 0777);
			if (!r)
				break;
			if (r != -EEXIST)
				die("%s: the run directory cannot be made here (errno %d); set "
				    "LINCHPIN_DIR",
				    dir, -r);
		}
	}
	rt->fd_dir = (int)sys4(SYS_openat, AT_FDCWD, dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
	if (rt->fd_dir < 0)
		die("%s cannot be opened (errno %d)", dir, -(long)rt->fd_dir);
	r = descriptor_copy(rt->fd_dir);
	sys1(SYS_close, rt->fd_dir);
	rt->fd_dir = (int)r;
}

void *run_dir_map(int fd, size_t size)
{
	uintptr_t place = size > 1UL << 30 ? TRACE_PLACE : 0;
	long p = sys6(SYS_mmap, place, (long)size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_NORESERVE, fd, 0);

	if (p < 0 && p > -4096)
		die("%s: mmap failed (errno %d)", rt->config.dir, -p);
	return (void *)p;
}

/* SPDX-License-Identifier: MIT */
#include "base.h"
#include "output.h"
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/mman.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

void *map(uintptr_t at, size_t size, bool fixed, bool shared)
{
	long flags = MAP_ANONYMOUS | MAP_NORESERVE | (shared ? MAP_SHARED : MAP_PRIVATE) |
		     (fixed ? MAP_FIXED_NOREPLACE : 0);
	long p = sys6(SYS_mmap, (long)at, (long)size, PROT_READ | PROT_WRITE, flags, -1, 0);

	if (p == -EEXIST)
		die("the program itself takes the address %x, where the runtime keeps its own", at);
	if (p < 0 && p > -4096)
		die("no memory: mmap of %u bytes failed (errno %d); is there a limit on address "
		    "space (ulimit -v)?",
		    size, -p);
	if (fixed && (uintptr_t)p != at)
		die("address %x is taken; the kernel placed %u bytes elsewhere", at, size);
	return (void *)p;
}

/* The kernel says so before it looks at the first argument, which is wrong. */
bool can_be_read(uint64_t addr)
{
	return sys4(SYS_rt_sigprocmask, -1, addr & ~7UL, NULL, 8) != -EFAULT;
}

long read_file(const char *path, void *to, size_t size)
{
	long fd = sys4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0), n;
	size_t used = 0;

	if (fd < 0)
		return fd;
	while (used < size && (n = sys3(SYS_read, fd, (char *)to + used, size - used)) > 0)
		used += (size_t)n;
	sys1(SYS_close, fd);
	return (long)used;
}

static void put(struct text *t, char c)
{
	if (t->n < sizeof t->s)
		t->s[t->n++] = c;
}

static void put_number(struct text *t, uint64_t v, unsigned base)
{
	char digits[24];
	int n = 0;

	do {
		digits[n++] = "0123456789abcdef"[v % base];
		v /= base;
	} while (v);
	while (n)
		put(t, digits[--n]);
}

static void text_args(struct text *t, const char *f, va_list args)
{
	for (; *f; f++) {
		if (*f != '%') {
			put(t, *f);
			continue;
		}
		switch (*++f) {
		case 's': {
			const char *s = va_arg(args, const char *);

			while (s && *s)
				put(t, *s++);
			break;
		}
		case 'd': {
			long v = va_arg(args, long);

			if (v < 0)
				put(t, '-');
			put_number(t, v < 0 ? -(uint64_t)v : (uint64_t)v, 10);
			break;
		}
		case 'u':
			put_number(t, va_arg(args, unsigned long), 10);
			break;
		case 'x':
			put_number(t, va_arg(args, unsigned long), 16);
			break;
		case 'c':
			put(t, (char)va_arg(args, int));
			break;
		default:
			put(t, *f);
		}
	}
}

void text_add(struct text *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	text_args(t, format, args);
	va_end(args);
}

void text_flush(struct text *t, int fd)
{
	size_t done = 0;

	while (done < t->n) {
		long r = sys3(SYS_write, fd, t->s + done, t->n - done);

		if (r == -EINTR)
			continue;
		if (r <= 0)
			break;
		done += (size_t)r;
	}
	t->n = 0;
}

uint64_t text_number(const char **p, unsigned base)
{
	uint64_t v = 0;

	for (;; ++*p) {
		unsigned d = **p >= '0' && **p <= '9'   ? (unsigned)(**p - '0')
			     : **p >= 'a' && **p <= 'f' ? (unsigned)(**p - 'a' + 10)
							: 16;

		if (d >= base || v > (UINT64_MAX - d) / base)
			return v;
		v = v * base + d;
	}
}

static void message(const char *format, va_list args)
{
	struct text t;

	t.n = 0;
	text_add(&t, "linchpin: ");
	text_args(&t, format, args);
	put(&t, '\n');
	text_flush(&t, rt_there ? rt->fd_err : 2);
}

void complain(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	message(format, args);
	va_end(args);
}

void say(const char *format, ...)
{
	va_list args;

	if (rt_there && rt->config.quiet)
		return;
	va_start(args, format);
	message(format, args);
	va_end(args);
}

void die(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	die_args(format, args);
}

void die_args(const char *format, va_list args)
{
	if (rt_there && rt->status)
		show_output();
	message(format, args);
	if (rt_there && rt->status)
		rt->status->end = LP_END_ERROR;
	/* In an isolated child the parent takes this status for what it is and stops as well. */
	sys1(SYS_exit_group, 2);
	for (;;)
		;
}

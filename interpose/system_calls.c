/* SPDX-License-Identifier: MIT
 *
 * System calls that the program makes itself: by syscall(), or by the instruction in instrumented code. They are what
 * libc's functions for them are, as system_calls.def says; what has no such function and changes something, or waits, is
 * named as a limit.
 *
 * Some differ from libc's function: a set of signals has 8 bytes, a timer is an int. None is a cancellation point.
 */
#include "system_calls.h"
#include "../runtime/outcome.h"
#include "changes.h"
#include "sending.h"

#include <asm/prctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#define EXPORTED(name) extern __typeof__(name) i_##name;
EXPORTED(read) EXPORTED(write) EXPORTED(readv) EXPORTED(writev) EXPORTED(pread) EXPORTED(pwrite) EXPORTED(sendto)
EXPORTED(recvfrom) EXPORTED(sendmsg) EXPORTED(recvmsg) EXPORTED(close) EXPORTED(close_range) EXPORTED(shutdown)
EXPORTED(poll) EXPORTED(ppoll) EXPORTED(select) EXPORTED(pselect) EXPORTED(pipe) EXPORTED(pipe2) EXPORTED(socket)
EXPORTED(socketpair) EXPORTED(setsockopt) EXPORTED(dup) EXPORTED(dup2) EXPORTED(dup3) EXPORTED(eventfd)
EXPORTED(epoll_create) EXPORTED(epoll_create1) EXPORTED(epoll_ctl) EXPORTED(epoll_wait) EXPORTED(epoll_pwait)
EXPORTED(timerfd_create) EXPORTED(timerfd_settime) EXPORTED(timerfd_gettime) EXPORTED(flock)
EXPORTED(mmap) EXPORTED(munmap) EXPORTED(mprotect)
EXPORTED(sched_setparam) EXPORTED(sched_getparam) EXPORTED(sched_setscheduler) EXPORTED(sched_getscheduler)
EXPORTED(sched_yield) EXPORTED(sched_setaffinity) EXPORTED(sched_getaffinity) EXPORTED(getcpu) EXPORTED(gettid)
EXPORTED(nanosleep) EXPORTED(clock_nanosleep) EXPORTED(clock_gettime) EXPORTED(clock_settime) EXPORTED(clock_adjtime)
EXPORTED(gettimeofday) EXPORTED(settimeofday) EXPORTED(adjtimex) EXPORTED(time) EXPORTED(times) EXPORTED(getrusage)
EXPORTED(alarm) EXPORTED(getitimer) EXPORTED(setitimer) EXPORTED(timer_create) EXPORTED(timer_settime)
EXPORTED(timer_gettime) EXPORTED(timer_getoverrun) EXPORTED(timer_delete)
EXPORTED(kill) EXPORTED(tgkill) EXPORTED(sigqueue) EXPORTED(pause) EXPORTED(sigaction) EXPORTED(sigprocmask)
EXPORTED(signalfd) EXPORTED(sigpending) EXPORTED(sigtimedwait) EXPORTED(sigsuspend) EXPORTED(sigaltstack)
EXPORTED(setuid) EXPORTED(setgid) EXPORTED(setreuid) EXPORTED(setregid) EXPORTED(setresuid) EXPORTED(setresgid)
EXPORTED(setgroups) EXPORTED(getrandom) EXPORTED(wait4) EXPORTED(stat) EXPORTED(fstat)
EXPORTED(lstat) EXPORTED(fstatat) EXPORTED(statx)
#undef EXPORTED
int i_ioctl(int fd, unsigned long request, uint64_t argument);
int i_fcntl(int fd, int command, uint64_t argument);
void *i_mremap(void *old, size_t old_size, size_t size, int flags, void *to);
void i__exit(int status) __attribute__((noreturn));

void function_refused(void **entry) __attribute__((noreturn)); /* functions.c */

/* ---- where the kernel's arguments are not those of libc's function ---- */

static int error_of(int error)
{
	return error ? fail(error) : 0;
}

static sigset_t set_of(const uint64_t *bits)
{
	sigset_t set = { { bits ? *bits : 0 } };

	return set;
}

struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static int raw_sigaction(int sig, const struct kernel_action *new, struct kernel_action *old)
{
	struct sigaction act, before;
	int r;

	zero(&act, sizeof act);
	if (new) {
		act.sa_handler = new->handler;
		act.sa_flags = (int)new->flags;
		act.sa_mask = set_of(&new->mask);
	}
	r = i_sigaction(sig, new ? &act : NULL, &before);
	if (!r && old)
		*old = (struct kernel_action){ before.sa_handler, (unsigned long)before.sa_flags, NULL,
					       before.sa_mask.__val[0] };
	return r;
}

static int raw_sigprocmask(int how, const uint64_t *new, uint64_t *old)
{
	sigset_t set = set_of(new), before;
	int r = i_sigprocmask(how, new ? &set : NULL, &before);

	if (!r && old)
		*old = before.__val[0];
	return r;
}

static int raw_sigpending(uint64_t *bits)
{
	sigset_t set;
	int r = i_sigpending(&set);

	*bits = set.__val[0];
	return r;
}

static int raw_sigtimedwait(const uint64_t *bits, siginfo_t *info, const struct timespec *t)
{
	sigset_t set = set_of(bits);

	return i_sigtimedwait(&set, info, t);
}

static int raw_sigsuspend(const uint64_t *bits)
{
	sigset_t set = set_of(bits);

	return i_sigsuspend(&set);
}

static int raw_signalfd(int fd, const uint64_t *bits, int flags)
{
	sigset_t set = set_of(bits);

	return i_signalfd(fd, &set, flags);
}

static int raw_ppoll(struct pollfd *fds, nfds_t n, const struct timespec *t, const uint64_t *bits)
{
	sigset_t set = set_of(bits);

	return i_ppoll(fds, n, t, bits ? &set : NULL);
}

/* The last argument points to a pointer to the set, and its size. */
static int raw_pselect(int n, fd_set *r, fd_set *w, fd_set *e, const struct timespec *t, const uint64_t *const *mask)
{
	sigset_t set = set_of(mask ? *mask : NULL);

	return i_pselect(n, r, w, e, t, mask && *mask ? &set : NULL);
}

static int raw_epoll_pwait(int epoll, struct epoll_event *list, int n, int timeout, const uint64_t *bits)
{
	sigset_t set = set_of(bits);

	return i_epoll_pwait(epoll, list, n, timeout, bits ? &set : NULL);
}

static int raw_timer_create(clockid_t clock, struct sigevent *event, int *id)
{
	timer_t timer;
	int r = i_timer_create(clock, event, &timer);

	if (!r)
		*id = (int)(intptr_t)timer;
	return r;
}

/* How many bytes were written. */
static long raw_getaffinity(int id, size_t size, cpu_set_t *set)
{
	uint8_t all[1024];
	long n = sys3(SYS_sched_getaffinity, 0, sizeof all, all);

	return i_sched_getaffinity(id, size, set) ? -1 : n < (long)size ? n : (long)size;
}

static long end_of_process(int status)
{
	i__exit(status);
}

static long thread_exits(void)
{
	refuse("the program ends a thread by a system call (exit), and nobody would clean up after it: use "
	       "pthread_exit");
}

static long made_by_call(void)
{
	refuse("the program makes a thread or a process by a system call (clone, fork), which nobody would "
	       "schedule: use pthread_create, or posix_spawn");
}

/* ---- of which it depends on the arguments ---- */

/* Not what is only a hint: these change what is in memory. */
static bool advice_changes(int advice)
{
	return advice == MADV_DONTNEED || advice == MADV_FREE || advice == MADV_REMOVE || advice == MADV_HWPOISON ||
	       advice == 24 /* MADV_DONTNEED_LOCKED */;
}

static bool control_changes(int option)
{
	switch (option) {
	case PR_GET_PDEATHSIG:
	case PR_GET_DUMPABLE:
	case PR_GET_KEEPCAPS:
	case PR_SET_NAME:
	case PR_GET_NAME:
	case PR_GET_SECCOMP:
	case PR_CAPBSET_READ:
	case PR_GET_SECUREBITS:
	case PR_SET_TIMERSLACK:
	case PR_GET_TIMERSLACK:
	case PR_GET_NO_NEW_PRIVS:
	case 0x53564d41: /* PR_SET_VMA: a name of memory */
		return false;
	default:
		return true;
	}
}

/* ---- */

static void name_limit(const char *name)
{
	rt->opened = 1; /* perhaps a descriptor */
	limit_call(name);
}

static void name_number(long number)
{
	struct text t = { 0 };

	text_add(&t, "number %u%c", (unsigned long)number, '\0');
	name_limit(t.s);
}

#define A(type, n) ((type)args[n])

static long served(long number, const uint64_t *args)
{
	switch (number) {
#define SERVED(n, name, call)                                                                      \
	case n:                                                                                    \
		return call;
#include "system_calls.def"
	}
	return 0;
}

static bool make_call(long number, const uint64_t *args, long *result)
{
	switch (number) {
#define SERVED(n, name, call)                                                                      \
	case n:                                                                                    \
		*result = served(number, args);                                                    \
		return true;
#define CHANGES(n, name, function)                                                                 \
	case n:                                                                                    \
		change_call(args, function_entry(#function));                                      \
		return false;
#define HARMLESS(n, name)                                                                          \
	case n:                                                                                    \
		return false;
#define SOME(n, name, changes)                                                                     \
	case n:                                                                                    \
		if (changes)                                                                       \
			name_limit(#name);                                                         \
		return false;
#define LIMIT(n, name)                                                                             \
	case n:                                                                                    \
		name_limit(#name);                                                                 \
		return false;
#define REFUSED(n, name, function)                                                                 \
	case n:                                                                                    \
		function_refused(function_entry(#function));
#include "system_calls.def"
	default:
		name_number(number);
		return false;
	}
}

bool system_call(long number, const uint64_t *args, long *result)
{
	struct fiber *f = rt->cur;
	bool done;

	f->no_point = 1;
	done = make_call(number, args, result);
	f->no_point = 0;
	return done;
}

/* Called by hooks.S for syscall() in an execution. */
long i_syscall(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e);
long i_syscall(long number, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
	const uint64_t args[] = { a, b, c, d, e, rt->entry[ENTRY_SP] };
	long r;

	if (system_call(number, args, &r))
		return r;
	r = sys6(number, (long)a, (long)b, (long)c, (long)d, (long)e, (long)args[5]);
	return r < 0 && r >= -4095 ? fail((int)-r) : r;
}

/* System calls without libc's functions, by syscall() or (-DINLINE) by the instruction. The argument says which; what is
 * right for each is in unseen.bats. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef INLINE
static __attribute__((noinline)) long raw(long n, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d, r8 __asm__("r8") = e, r9 __asm__("r9") = f;
	long r;

	__asm__ volatile("syscall" /* @call */
			 : "=a"(r)
			 : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	if (r < 0 && r >= -4095) {
		errno = (int)-r;
		return -1;
	}
	return r;
}
#define CALL(n, a, b, c, d, e, f) raw(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#else
#define CALL(n, a, b, c, d, e, f) syscall(n, (long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f))
#endif

static const char *what;
static int ends[2], other[2];
static int x;
static volatile sig_atomic_t handled;

static int is(const char *name)
{
	return !strcmp(what, name);
}

static void handler(int sig)
{
	handled = sig;
}

struct kernel_action {
	void (*handler)(int);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

/* Before there are threads. */
static void alone(void)
{
	if (is("mkdir")) {
		struct stat s;

		assert(stat("made", &s) && errno == ENOENT); /* no execution has left it */
		assert(!CALL(SYS_mkdir, "made", 0755, 0, 0, 0, 0));
		assert(CALL(SYS_mkdir, "made", 0755, 0, 0, 0, 0) == -1 && errno == EEXIST);
	} else if (is("openat")) {
		int fd = (int)CALL(SYS_openat, AT_FDCWD, "file", O_CREAT | O_EXCL | O_WRONLY, 0600, 0, 0);

		assert(fd >= 0); /* the same number each time, and the file is not there */
		assert(CALL(SYS_write, fd, "abc", 3, 0, 0, 0) == 3);
		assert(fd == (int)CALL(SYS_fcntl, fd, F_DUPFD, fd, 0, 0, 0) - 1);
	} else if (is("clock")) {
		struct timespec a, b;

		assert(!CALL(SYS_clock_gettime, CLOCK_MONOTONIC, &a, 0, 0, 0, 0) && a.tv_sec >= 2000000000);
		a = (struct timespec){ 3600, 0 };
		assert(!CALL(SYS_nanosleep, &a, 0, 0, 0, 0, 0)); /* an hour */
		assert(!CALL(SYS_clock_nanosleep, CLOCK_REALTIME, 0, &a, 0, 0, 0));
		assert(!CALL(SYS_clock_gettime, CLOCK_REALTIME, &b, 0, 0, 0, 0));
		assert(b.tv_sec >= 2000007200 && b.tv_sec < 2000007300);
		assert(CALL(SYS_clock_settime, CLOCK_REALTIME, &b, 0, 0, 0, 0) == -1);
	} else if (is("signals")) {
		struct kernel_action act = { .handler = handler };
		uint64_t usr1 = 1UL << (SIGUSR1 - 1), before = 0, pending = 0;

		assert(!CALL(SYS_rt_sigaction, SIGUSR1, &act, 0, 8, 0, 0));
		assert(!CALL(SYS_rt_sigprocmask, SIG_BLOCK, &usr1, &before, 8, 0, 0));
		assert(!CALL(SYS_tgkill, getpid(), CALL(SYS_gettid, 0, 0, 0, 0, 0, 0), SIGUSR1, 0, 0, 0));
		assert(!CALL(SYS_rt_sigpending, &pending, 8, 0, 0, 0, 0) && pending == usr1 && !handled);
		assert(!CALL(SYS_rt_sigprocmask, SIG_SETMASK, &before, 0, 8, 0, 0));
		assert(handled == SIGUSR1);
	} else if (is("memory")) {
		char *p = (char *)CALL(SYS_mmap, 0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		assert(p != MAP_FAILED && !p[5000]);
		p[5000] = 1;
		assert(!CALL(SYS_mprotect, p, 4096, PROT_NONE, 0, 0, 0));
		assert(!CALL(SYS_munmap, p, 8192, 0, 0, 0, 0));
	} else if (is("asks")) {
		char buffer[64];
		int cpu = -1;

		assert(CALL(SYS_getpid, 0, 0, 0, 0, 0, 0) == getpid());
		assert(CALL(SYS_gettid, 0, 0, 0, 0, 0, 0) == gettid());
		assert(CALL(SYS_getppid, 0, 0, 0, 0, 0, 0) == getppid());
		assert(CALL(SYS_getcwd, buffer, 1, 0, 0, 0, 0) == -1 && errno == ERANGE);
		assert(!CALL(SYS_getcpu, &cpu, 0, 0, 0, 0, 0) && cpu == sched_getcpu());
		assert(CALL(SYS_sched_getaffinity, 0, sizeof buffer, buffer, 0, 0, 0) > 0);
		assert(CALL(SYS_getrandom, buffer, 8, 0, 0, 0, 0) == 8);
		assert(!CALL(SYS_prctl, PR_SET_NAME, "name", 0, 0, 0, 0));
		assert(!CALL(SYS_madvise, 0, 0, MADV_WILLNEED, 0, 0, 0));
	} else if (is("exit_group")) {
		CALL(SYS_exit_group, 3, 0, 0, 0, 0, 0);
	} else if (is("exit")) {
		CALL(SYS_exit, 0, 0, 0, 0, 0, 0);
	} else if (is("clone")) {
		CALL(SYS_clone, SIGCHLD, 0, 0, 0, 0, 0);
	} else if (is("execve")) {
		CALL(SYS_execve, "/bin/true", 0, 0, 0, 0, 0);
	} else if (is("shmget")) {
		CALL(SYS_shmget, 0, 0, 0, 0, 0, 0); /* @shmget */
	} else if (is("madvise")) {
		CALL(SYS_madvise, 1, 0, MADV_DONTNEED, 0, 0, 0); /* @madvise */
	} else if (is("unknown")) {
		assert(CALL(1000, 0, 0, 0, 0, 0, 0) == -1 && errno == ENOSYS); /* @unknown */
	}
}

static void *first(void *unused)
{
	char c = 1;

	(void)unused;
	if (is("pipe"))
		assert(CALL(SYS_write, ends[1], &c, 1, 0, 0, 0) == 1 && CALL(SYS_read, other[0], &c, 1, 0, 0, 0) == 1);
	else if (is("yield"))
		for (int i = 0; i < 3; i++)
			CALL(SYS_sched_yield, 0, 0, 0, 0, 0, 0);
	else if (is("deadlock"))
		assert(CALL(SYS_read, other[0], &c, 1, 0, 0, 0) == 1);
	x++;
	return NULL;
}

static void *second(void *unused)
{
	char c = 2;

	(void)unused;
	if (is("pipe"))
		assert(CALL(SYS_read, ends[0], &c, 1, 0, 0, 0) == 1 && c == 1 &&
		       CALL(SYS_write, other[1], &c, 1, 0, 0, 0) == 1);
	else if (is("deadlock"))
		assert(CALL(SYS_read, ends[0], &c, 1, 0, 0, 0) == 1);
	x++;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	(void)argc;
	what = argv[1];
	assert(!CALL(SYS_pipe2, ends, O_CLOEXEC, 0, 0, 0, 0) && !CALL(SYS_pipe, other, 0, 0, 0, 0, 0));
	alone();
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Time stamps of files, and the time that the program is told. All happens within a tick, but with -DSLEEPS.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int fd = -1;
static char path[] = "stamps.XXXXXX";

static time_t by_stat(void)
{
	struct stat s;

	assert(!stat(path, &s));
	return s.st_mtime;
}

static time_t by_lstat(void)
{
	struct stat s;

	assert(!lstat(path, &s));
	return s.st_ctime;
}

static time_t by_fstat(void)
{
	struct stat s;

	assert(!fstat(fd, &s));
	return s.st_mtime;
}

static time_t by_fstatat(void)
{
	struct stat s;

	assert(!fstatat(AT_FDCWD, path, &s, 0));
	return s.st_mtime;
}

static time_t by_statx(void)
{
	struct statx s;

	assert(!statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &s));
	return s.stx_mtime.tv_sec;
}

static time_t by_call(void)
{
	struct stat s;

	assert(!syscall(SYS_fstat, fd, &s));
	return s.st_mtime;
}

/* Of a file that was there. */
static time_t before(void)
{
	struct stat s;

	assert(!stat("/etc", &s));
	return s.st_mtime;
}

static void change(void)
{
	assert(write(fd, "x", 1) == 1);
}

static void *work(void *unused)
{
	time_t t = time(NULL), first;

	change();
	first = HOW();
	assert(t <= first && first <= time(NULL));
#ifdef WRONG
	assert(first < t);
#endif
#ifdef SLEEPS
	sleep(2);
	HOW();
	return unused;
#endif
	assert(HOW() == first && before() < first);
	change();
	assert(HOW() == first);
	assert(futimens(fd, (struct timespec[]){ { 5, 0 }, { 7, 0 } }) == 0);
	assert(by_stat() == 7 && by_fstat() == 7 && by_call() == 7);
	return unused;
}

static int n;

static void *other(void *unused)
{
	__atomic_fetch_add(&n, 1, __ATOMIC_RELAXED);
	return unused;
}

int main(void)
{
	pthread_t t[2];

	fd = mkstemp(path);
	pthread_create(&t[0], NULL, other, NULL);
	pthread_create(&t[1], NULL, work, NULL);
	other(NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	unlink(path);
	return 0;
}

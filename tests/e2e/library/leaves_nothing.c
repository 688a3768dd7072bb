/* SPDX-License-Identifier: MIT
 *
 * Descriptors and what is behind them, of all kinds, which an execution leaves open.
 */
#include "what.h"

#include <dirent.h>
#include <dlfcn.h>
#include <mqueue.h>
#include <semaphore.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>

#define HERE(name) (snprintf(text, sizeof text, "/linchpin-%d-" name, (int)getpid()), text)

static char text[64];
static int n;

static void *steps(void *unused)
{
	n++;
	n++;
	return unused;
}

static void makes(void)
{
	struct timespec in = { 100, 0 };
	struct itimerspec soon = { in, in };
	struct sigevent e = { .sigev_notify = SIGEV_NONE };
	int ends[2];
	sigset_t set;
	timer_t timer;
	FILE *f;

	assert(mq_open(HERE("a"), O_CREAT | O_RDWR, 0600, NULL) >= 0);
	assert(mq_open(HERE("b"), O_CREAT | O_RDWR, 0600, NULL) >= 0);
	assert(!mq_unlink(HERE("b")));
	assert(sem_open(HERE("c"), O_CREAT, 0600, 1) != SEM_FAILED);
	assert(!pipe(ends) && dup(ends[0]) >= 0);
	assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
	assert(eventfd(1, 0) >= 0 && epoll_create1(0) >= 0 && inotify_init() >= 0);
	assert(timerfd_settime(timerfd_create(CLOCK_MONOTONIC, 0), 0, &soon, NULL) == 0);
	assert(!timer_create(CLOCK_REALTIME, &e, &timer));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	assert(signalfd(-1, &set, 0) >= 0);
	f = tmpfile();
	assert(f && fputs("x", f) >= 0 && !flock(fileno(f), LOCK_EX));
	assert(opendir("/") && fopen("/dev/null", "r") && open(".", O_RDONLY | O_DIRECTORY) >= 0);
	assert(memfd_create("x", 0) >= 0 && dlopen("libm.so.6", RTLD_NOW));
	assert(mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED);
}

static void everything(void)
{
	pthread_t a, b;

	makes();
	pthread_create(&a, NULL, steps, NULL);
	pthread_create(&b, NULL, steps, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

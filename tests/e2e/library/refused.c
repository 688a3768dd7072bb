/* SPDX-License-Identifier: MIT
 *
 * refused WHAT: a call that cannot be explored. The marks say where it is.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <mqueue.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static _Alignas(64) char stack[65536];
static int n;

static void *work(void *arg)
{
	n++;
	return arg;
}

static int nothing(void *arg)
{
	return arg != NULL;
}

/* The child says it, but the exploration is over. */
static void in_child(void)
{
	pthread_t t;
	int status;
	pid_t id = fork(); /* @child */

	if (!id) {
		pthread_create(&t, NULL, work, NULL);
		_exit(pthread_join(t, NULL));
	}
	waitpid(id, &status, 0);
	if (status)
		abort();
}

static void many(void)
{
	pthread_t t;

	for (int i = 0; i < 80; i++)
		pthread_create(&t, NULL, work, NULL); /* @threads */
}

/* The child would end the wait. */
static void share(void)
{
	int *word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (!fork())
		_exit(0);
	syscall(SYS_futex, word, FUTEX_WAIT, 0, NULL, NULL, 0); /* @shared */
}

/* What both have is made for both. */
static void share_object(char kind)
{
	char *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_t m;
	pthread_condattr_t c;
	pthread_rwlockattr_t r;
	pthread_barrierattr_t b;

	pthread_mutexattr_init(&m);
	pthread_mutexattr_setpshared(&m, PTHREAD_PROCESS_SHARED);
	pthread_condattr_init(&c);
	pthread_condattr_setpshared(&c, PTHREAD_PROCESS_SHARED);
	pthread_rwlockattr_init(&r);
	pthread_rwlockattr_setpshared(&r, PTHREAD_PROCESS_SHARED);
	pthread_barrierattr_init(&b);
	pthread_barrierattr_setpshared(&b, PTHREAD_PROCESS_SHARED);
	switch (kind) {
	case 'm':
		pthread_mutex_init((pthread_mutex_t *)at, &m);
		break;
	case 'c':
		pthread_cond_init((pthread_cond_t *)at, &c);
		break;
	case 'r':
		pthread_rwlock_init((pthread_rwlock_t *)at, &r);
		break;
	case 'b':
		pthread_barrier_init((pthread_barrier_t *)at, &b, 2);
		break;
	case 's':
		sem_init((sem_t *)at, 1, 0);
		break;
	case 'p':
		pthread_spin_init((pthread_spinlock_t *)at, PTHREAD_PROCESS_SHARED);
		break;
	case 'n':
		sem_open("/linchpin-shared", O_CREAT, 0600, 0);
		break;
	case 'q':
		mq_open("/linchpin-shared", O_RDWR | O_CREAT, 0600, NULL);
		break;
	case 'o': /* only says so */
		sem_init((sem_t *)stack, 1, 0);
		break;
	}
	if (!fork()) /* @object */
		_exit(0);
}

/* The child says so and ends; the parent would take that for the end of a program that works. */
static void fork_and_create(void)
{
	pid_t child = fork();
	pthread_t t;
	int status;

	if (!child) {
		pthread_create(&t, NULL, work, NULL);
		pthread_join(t, NULL);
		_exit(0);
	}
	waitpid(child, &status, 0); /* @child */
	if (status)
		abort();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	n++;
	pthread_join(t, NULL);
	if (!strcmp(what, "clone"))
		clone(nothing, stack + sizeof stack, 0, NULL); /* @clone */
	else if (!strcmp(what, "raw"))
		syscall(SYS_fork); /* @raw */
	else if (!strcmp(what, "exec"))
		execl("/bin/true", "true", (char *)0); /* @exec */
	else if (!strcmp(what, "dlmopen"))
		dlmopen(LM_ID_NEWLM, "libm.so.6", RTLD_NOW); /* @dlmopen */
	else if (!strcmp(what, "tasks"))
		opendir("/proc/self/task"); /* @tasks */
	else if (!strncmp(what, "object", 6))
		share_object(what[6]);
	else if (!strcmp(what, "child"))
		fork_and_create();
	else if (!strcmp(what, "threads"))
		many();
	else if (!strcmp(what, "child"))
		in_child();
	else if (!strcmp(what, "shared"))
		share();
	return 0;
}

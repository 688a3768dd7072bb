/* SPDX-License-Identifier: MIT
 *
 * refused WHAT: a call that cannot be explored. The marks say where it is.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static char stack[65536];
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

static void many(void)
{
	pthread_t t;

	for (int i = 0; i < 80; i++)
		pthread_create(&t, NULL, work, NULL); /* @threads */
}

/* The child would end the wait. */
static void share(void)
{
	pthread_barrierattr_t a;
	pthread_barrier_t *b = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	pthread_barrierattr_init(&a);
	pthread_barrierattr_setpshared(&a, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(b, &a, 2);
	if (!fork())
		_exit(0);
	pthread_barrier_wait(b); /* @shared */
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
	else if (!strcmp(what, "threads"))
		many();
	else if (!strcmp(what, "shared"))
		share();
	return 0;
}

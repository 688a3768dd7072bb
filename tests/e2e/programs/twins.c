/* SPDX-License-Identifier: MIT
 *
 * Four threads that nothing tells apart add to a number, and lose updates; WAY: something that does tell them apart.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

enum { ALIKE, SELF, ID, HEAP, RANDOM, RESULT, EARLY, ONE, HANDLE, TRY, CHILD, MASK, BETWEEN, ARGUMENT };

static atomic_int x;
static pthread_t threads[4];
static int arguments[4];

static void *nothing(void *arg)
{
	return arg;
}

static void *add(void *arg)
{
	int v = atomic_load(&x);
	volatile int mine = 1;
	void *volatile block;
	pthread_t child;

	if (WAY == SELF)
		mine += pthread_self() == 0;
	if (WAY == ID)
		mine += gettid() < 0;
	if (WAY == HEAP)
		free(block = malloc(8));
	if (WAY == RANDOM && getrandom((void *)&mine, sizeof mine, 0) > 0)
		mine = 1;
	if (WAY == HANDLE)
		pthread_getschedparam(threads[0], (int *)&mine, &(struct sched_param){ 0 });
	if (WAY == CHILD && !pthread_create(&child, 0, nothing, 0))
		pthread_join(child, 0);
	atomic_store(&x, v + 1);
	return WAY == RESULT ? (void *)(long)v : arg;
}

int main(void)
{
	sigset_t some;
	void *result;

	sigemptyset(&some);
	sigaddset(&some, SIGUSR1);
	for (int i = 0; i < 4; i++) {
		pthread_create(&threads[i], 0, add, WAY == ARGUMENT ? &arguments[i] : 0);
		if (WAY == MASK)
			pthread_sigmask(i % 2 ? SIG_UNBLOCK : SIG_BLOCK, &some, 0);
		if (WAY == BETWEEN)
			atomic_load(&x);
	}
	for (int i = 0; i < (WAY == ONE ? 1 : 4); i++) {
		while (WAY == TRY && pthread_tryjoin_np(threads[i], 0))
			;
		if (WAY != TRY)
			pthread_join(threads[i], WAY == RESULT ? &result : 0);
		if (WAY == EARLY && i == 1)
			atomic_fetch_add(&x, 10);
	}
#ifdef LOST
	if (x == LOST)
		abort();
#endif
	return 0;
}

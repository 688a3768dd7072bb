/* SPDX-License-Identifier: MIT
 *
 * Two threads; when the second sees what the first has written, the program ends in the way that its argument names.
 * Each way has a mark, so that tests find its line.
 */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int flag, never, count;
static const char *how;
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) static int deeper(int n)
{
	volatile char page[4096];

	page[0] = (char)n;
	return deeper(n + 1) + page[0]; /* @overflow */
}

static void crash(void)
{
	static int *volatile nowhere;

	*nowhere = 1; /* @crash */
}

static void lock_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second); /* @deadlock */
	count++;
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void fail(void)
{
	if (!strcmp(how, "crash"))
		crash();
	else if (!strcmp(how, "abort"))
		abort(); /* @abort */
	else if (!strcmp(how, "assert"))
		assert(flag == 0); /* @assert */
	else if (!strcmp(how, "exit"))
		exit(7); /* @exit */
	else if (!strcmp(how, "exit0"))
		exit(0);
	else if (!strcmp(how, "overflow"))
		deeper(0);
	else if (!strcmp(how, "livelock"))
		while (!__atomic_load_n(&never, __ATOMIC_ACQUIRE)) /* @livelock */
			;
	else if (!strcmp(how, "endless"))
		for (;;)
			__atomic_fetch_add(&count, 1, __ATOMIC_RELAXED); /* @endless */
}

static void *set(void *unused)
{
	(void)unused;
	if (!strcmp(how, "deadlock"))
		lock_both(&a, &b);
	else
		__atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void *see(void *unused)
{
	(void)unused;
	if (!strcmp(how, "deadlock"))
		lock_both(&b, &a);
	else if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE))
		fail();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t one, two;

	how = argc > 1 ? argv[1] : "nothing";
	pthread_create(&one, NULL, set, NULL);
	pthread_create(&two, NULL, see, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return 0;
}

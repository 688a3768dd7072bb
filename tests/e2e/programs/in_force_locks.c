/* SPDX-License-Identifier: MIT
 *
 * Which lock a block takes depends on what it reads, and the thread with the block is made late.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static volatile int link, value, late = 2;

static void *change(void *arg)
{
	pthread_mutex_lock(&outer);
	pthread_mutex_lock(&inner);
	link = 1;
	pthread_mutex_unlock(&inner);
	pthread_mutex_unlock(&outer);
	return arg;
}

static void *follow(void *arg)
{
	int outside;

	outside = link;                                  /* @follow.read */
	pthread_mutex_lock(outside ? &outer : &inner);   /* @follow.lock */
	value = 1;                                       /* @follow.write */
	pthread_mutex_unlock(outside ? &outer : &inner); /* @follow.unlock */
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, change, NULL);
	if (late)
		late = 3;
	pthread_create(&b, NULL, follow, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

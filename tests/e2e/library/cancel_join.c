/* SPDX-License-Identifier: MIT
 *
 * A thread is cancelled before it joins another one. If that has ended by then, the join returns, and the thread goes on.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

static sem_t go, ends;
static pthread_t first;

static void *work(void *arg)
{
#ifdef WAITS
	sem_wait(&ends);
#endif
	return arg;
}

static void *joins(void *unused)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	sem_wait(&go);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	pthread_join(first, NULL);
	return unused;
}

int main(void)
{
	pthread_t t;
	void *r;

	sem_init(&go, 0, 0);
	sem_init(&ends, 0, 0);
	pthread_create(&first, NULL, work, NULL);
	pthread_create(&t, NULL, joins, NULL);
	pthread_cancel(t);
	sem_post(&go);
	pthread_join(t, &r);
	assert(r == PTHREAD_CANCELED);
	sem_post(&ends);
	pthread_join(first, NULL);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Who holds a read-write lock for writing gets EDEADLK for any other lock of it, timed or not
 * (glibc).
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static int x;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *work(void *arg)
{
	x++;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	x++;
	struct timespec t1;

	clock_gettime(CLOCK_REALTIME, &t1);
	t1.tv_sec++;
	assert(pthread_rwlock_wrlock(&l) == 0);
	assert(pthread_rwlock_wrlock(&l) == EDEADLK);
	assert(pthread_rwlock_timedrdlock(&l, &t1) == EDEADLK);
	assert(pthread_rwlock_timedwrlock(&l, &t1) == EDEADLK);
	pthread_rwlock_unlock(&l);
	pthread_join(t, NULL);
	return 0;
}

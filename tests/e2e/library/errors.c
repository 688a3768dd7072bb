/* SPDX-License-Identifier: MIT
 *
 * Calls that return with an error, while another thread runs: as libc's.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static int x;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static sem_t s;

static void *work(void *arg)
{
	x++;
	return arg;
}

/* A tv_nsec below 0 or from 10^9 on. */
static void bad_times(void)
{
	struct timespec before = { 1, -1 }, behind = { 1, 1000000000 };

	pthread_mutex_lock(&m);
	assert(pthread_cond_timedwait(&c, &m, &before) == EINVAL);
	assert(pthread_cond_timedwait(&c, &m, &behind) == EINVAL);
	pthread_mutex_unlock(&m);
	assert(sem_timedwait(&s, &behind) == -1 && errno == EINVAL);
}

/* Who holds it for writing gets no other lock of it, timed or not. */
static void locked_again(void)
{
	struct timespec soon;

	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec++;
	assert(pthread_rwlock_wrlock(&l) == 0);
	assert(pthread_rwlock_wrlock(&l) == EDEADLK);
	assert(pthread_rwlock_timedrdlock(&l, &soon) == EDEADLK);
	assert(pthread_rwlock_timedwrlock(&l, &soon) == EDEADLK);
	pthread_rwlock_unlock(&l);
}

int main(void)
{
	pthread_t t;

	sem_init(&s, 0, 0);
	pthread_create(&t, NULL, work, NULL);
	x++;
	bad_times();
	locked_again();
	assert(pthread_cond_wait(&c, &checked) == EPERM); /* it is not locked */
	pthread_join(t, NULL);
	return 0;
}

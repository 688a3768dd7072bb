/* SPDX-License-Identifier: MIT
 *
 * A lock is initialized a second time: -DHELD while another thread may hold it, else when nobody does any more. -DDENIED:
 * a mutex is destroyed while another thread finds out that it does not hold it.
 */
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int n;

#ifdef RW
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
#define lock()	 pthread_rwlock_wrlock(&l)
#define unlock() pthread_rwlock_unlock(&l)
#define remake() pthread_rwlock_init(&l, NULL)
#elif defined DENIED
#define lock()
#define unlock() pthread_mutex_unlock(&m)
#define remake() pthread_mutex_destroy(&m)
#else
#define lock()	 pthread_mutex_lock(&m)
#define unlock() pthread_mutex_unlock(&m)
#define remake() pthread_mutex_init(&m, NULL)
#endif

static void *uses(void *arg)
{
	lock();
	__atomic_fetch_add(&n, 1, __ATOMIC_RELAXED);
	unlock();
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, uses, NULL);
#ifndef HELD
	pthread_join(a, NULL);
#endif
	__atomic_fetch_add(&n, 1, __ATOMIC_RELAXED);
	remake();
#ifndef DENIED
	pthread_create(&b, NULL, uses, NULL);
	pthread_join(b, NULL);
#endif
#ifdef HELD
	pthread_join(a, NULL);
#endif
	return 0;
}

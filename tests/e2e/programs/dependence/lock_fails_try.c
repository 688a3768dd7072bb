/* SPDX-License-Identifier: MIT */
/* Right: who tries while the other holds the lock gets EBUSY: assert in main must be found. */
#include <assert.h>
#include <pthread.h>

#if defined MUTEX
static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
#define TRY    pthread_mutex_trylock
#define LOCK   pthread_mutex_lock
#define UNLOCK pthread_mutex_unlock
#elif defined RWLOCK
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
#define TRY    pthread_rwlock_tryrdlock
#define LOCK   pthread_rwlock_wrlock
#define UNLOCK pthread_rwlock_unlock
#elif defined SPIN
static pthread_spinlock_t l = 1; /* as pthread_spin_init() leaves it */
#define TRY    pthread_spin_trylock
#define LOCK   pthread_spin_lock
#define UNLOCK pthread_spin_unlock
#endif
static int failed;

static void *one(void *arg)
{
	if (TRY(&l))
		failed = 1;
	else
		UNLOCK(&l);
	return arg;
}

static void *other(void *arg)
{
	LOCK(&l);
	UNLOCK(&l);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(!failed);
	return 0;
}

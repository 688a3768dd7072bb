/* SPDX-License-Identifier: MIT */
/* A writer who comes in vain keeps readers out until it leaves: a reader that comes later could have come before it. */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_rwlock_t l;
static int locked;

static void *writer(void *arg)
{
	struct timespec soon = { 0, 0 };

	pthread_rwlock_rdlock(&l);
	locked = 1;
	if (!pthread_rwlock_timedwrlock(&l, &soon))
		assert(0);
	pthread_rwlock_unlock(&l);
	return arg;
}

static void *reader(void *arg)
{
	pthread_rwlock_rdlock(&l);
	assert(locked);
	pthread_rwlock_unlock(&l);
	return arg;
}

int main(void)
{
	pthread_rwlockattr_t a;
	pthread_t t[2];

	pthread_rwlockattr_init(&a);
	pthread_rwlockattr_setkind_np(&a, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&l, &a);
	pthread_create(&t[0], NULL, reader, NULL);
	pthread_create(&t[1], NULL, writer, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}

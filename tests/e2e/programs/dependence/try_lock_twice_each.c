/* SPDX-License-Identifier: MIT */
/* Right: nothing wrong here; the classes are those that dfs sees. */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *one(void *arg)
{
	pthread_rwlock_trywrlock(&l);
	pthread_rwlock_trywrlock(&l);
	return arg;
}

static void *other(void *arg)
{
	if (!pthread_rwlock_trywrlock(&l))
		pthread_rwlock_unlock(&l);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, other, NULL);
	pthread_create(&b, NULL, one, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

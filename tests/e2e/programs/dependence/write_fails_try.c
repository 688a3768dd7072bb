/* SPDX-License-Identifier: MIT */
/* Right: a reader who tries while the other writes gets EBUSY: assert in main must be found. */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int failed;

static void *one(void *arg)
{
	if (pthread_rwlock_tryrdlock(&l))
		failed = 1;
	else
		pthread_rwlock_unlock(&l);
	return arg;
}

static void *other(void *arg)
{
	pthread_rwlock_wrlock(&l);
	pthread_rwlock_unlock(&l);
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

/* SPDX-License-Identifier: MIT */
/* Right: if the writer is first, and keeps it, the reader gets EBUSY: both orders must be seen. */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int r;

static void *one(void *arg)
{
	r = pthread_rwlock_tryrdlock(&l);
	return arg;
}

static void *other(void *arg)
{
	pthread_rwlock_trywrlock(&l);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, other, NULL);
	pthread_create(&b, NULL, one, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(!r);
	return 0;
}

/* SPDX-License-Identifier: MIT */
/* Right: the first attempt may fail because of the reader and the second succeed after it: assert must be found. */
#include <assert.h>
#include <pthread.h>
#include <errno.h>
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;

static void *one(void *arg)
{
	int first = pthread_rwlock_trywrlock(&l), second = pthread_rwlock_trywrlock(&l);

	assert(!(first == EBUSY && second == 0));
	return arg;
}

static void *other(void *arg)
{
	if (!pthread_rwlock_tryrdlock(&l))
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

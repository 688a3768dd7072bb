/* SPDX-License-Identifier: MIT */
/* Right: who tries while the other holds the mutex gets EBUSY: assert in main must be found. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static int failed;

static void *one(void *arg)
{
	if (pthread_mutex_trylock(&l))
		failed = 1;
	else
		pthread_mutex_unlock(&l);
	return arg;
}

static void *other(void *arg)
{
	pthread_mutex_lock(&l);
	pthread_mutex_unlock(&l);
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

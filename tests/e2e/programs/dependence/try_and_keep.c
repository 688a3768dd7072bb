/* SPDX-License-Identifier: MIT */
/* Right: if the one who tries is first, the mutex is never unlocked, and the other waits for ever; else all is well: both must be seen. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;

static void *one(void *arg)
{
	pthread_mutex_trylock(&l);
	pthread_mutex_trylock(&l);
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

	pthread_create(&a, NULL, other, NULL);
	pthread_create(&b, NULL, one, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

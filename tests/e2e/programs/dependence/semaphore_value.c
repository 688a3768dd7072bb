/* SPDX-License-Identifier: MIT */
/* Right: the value is 1 after the post: abort must be found. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t s;

static void *one(void *arg)
{
	int v;

	sem_getvalue(&s, &v);
	assert(v == 0);
	return arg;
}

static void *other(void *arg)
{
	sem_post(&s);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	sem_init(&s, 0, 0);
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

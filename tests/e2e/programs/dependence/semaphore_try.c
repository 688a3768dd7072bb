/* SPDX-License-Identifier: MIT */
/* Right: the attempt fails before the post: assert must be found. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
static sem_t s;

static void *one(void *arg)
{
	assert(!sem_trywait(&s));
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

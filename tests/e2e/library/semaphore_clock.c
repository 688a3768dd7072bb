/* SPDX-License-Identifier: MIT
 *
 * Sem_clockwait ends by the post or by its time-out.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
static sem_t s;
static int x;

static void *one(void *arg)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec++;
	if (sem_clockwait(&s, CLOCK_MONOTONIC, &t))
		x = 1;
	return arg;
}

static void *other(void *arg)
{
	sem_post(&s);
	x = 2;
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

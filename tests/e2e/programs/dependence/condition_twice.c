/* SPDX-License-Identifier: MIT */
/* Right: what is waited for comes after the first wait, but may come too late for the second as well: abort must be found. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

static sem_t gate;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *waits(void *arg)
{
	struct timespec t;
	int first, second;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	pthread_mutex_lock(&m);
	first = pthread_cond_timedwait(&c, &m, &t);
	sem_post(&gate);
	t.tv_sec++;
	second = pthread_cond_timedwait(&c, &m, &t);
	pthread_mutex_unlock(&m);
	if (first && second)
		abort();
	return arg;
}

static void *gives(void *arg)
{
	sem_wait(&gate);
	pthread_mutex_lock(&m);
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	sem_init(&gate, 0, 0);
	pthread_create(&a, NULL, waits, NULL);
	pthread_create(&b, NULL, gives, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

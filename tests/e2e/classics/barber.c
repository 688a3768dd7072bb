/* SPDX-License-Identifier: MIT
 *
 * The sleeping barber, with one chair to wait in. WRONG: whether a chair is free is asked without the lock.
 */
#include "threads.h"
#include <semaphore.h>

static sem_t customers, barber, mutex;
static int chairs = 1, served, left;

static void *customer(void *unused)
{
#ifdef WRONG
	int is_free = chairs > 0;

	sem_wait(&mutex);
#else
	int is_free;

	sem_wait(&mutex);
	is_free = chairs > 0;
#endif
	if (!is_free) {
		left++;
		sem_post(&mutex);
		return unused;
	}
	chairs--;
	assert(chairs >= 0);
	sem_post(&customers);
	sem_post(&mutex);
	sem_wait(&barber);
	return unused;
}

static void *cuts(void *unused)
{
	for (;;) {
		sem_wait(&customers);
		sem_wait(&mutex);
		if (served < 0) {
			sem_post(&mutex);
			return unused;
		}
		chairs++;
		served++;
		sem_post(&barber);
		sem_post(&mutex);
	}
}

int main(void)
{
	pthread_t t;
	int n;

	sem_init(&customers, 0, 0);
	sem_init(&barber, 0, 0);
	sem_init(&mutex, 0, 1);
	pthread_create(&t, NULL, cuts, NULL);
	run_threads(2, customer);
	sem_wait(&mutex);
	n = served;
	served = -1;
	sem_post(&customers);
	sem_post(&mutex);
	pthread_join(t, NULL);
	assert(n + left == 2 && n >= 1);
	return 0;
}

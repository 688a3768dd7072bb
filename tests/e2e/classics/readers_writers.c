/* SPDX-License-Identifier: MIT
 *
 * Readers and writers by two locks: the first reader locks writers out, the last one lets them in. WRONG: readers count
 * themselves without a lock.
 */
#include "threads.h"
#include <semaphore.h>

static sem_t writing;
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static int readers, value, inside;

static void count(int by)
{
	int first;

#ifndef WRONG
	pthread_mutex_lock(&counting);
#endif
	first = by > 0 ? readers++ == 0 : --readers == 0;
	if (first && by > 0)
		sem_wait(&writing);
	if (first && by < 0)
		sem_post(&writing);
#ifndef WRONG
	pthread_mutex_unlock(&counting);
#endif
}

static void *work(void *arg)
{
	if ((intptr_t)arg == 2) {
		sem_wait(&writing);
		inside = 1;
		value++;
		inside = 0;
		sem_post(&writing);
	} else {
		count(1);
		assert(!inside);
		count(-1);
	}
	return NULL;
}

int main(void)
{
	sem_init(&writing, 0, 1);
	run_threads(3, work);
	assert(value == 1);
	return 0;
}

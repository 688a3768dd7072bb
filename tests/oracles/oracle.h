/* SPDX-License-Identifier: MIT
 *
 * What the oracle programs share: run one function in several threads and wait for them.
 */
#ifndef ORACLE_H
#define ORACLE_H

#include <pthread.h>
#include <stdint.h>

#define ORACLE_MAX_THREADS 32

/* Starts n threads with the numbers 0 to n-1 as arguments and joins them. */
static inline void oracle_run(unsigned n, void *(*worker)(void *number))
{
	pthread_t threads[ORACLE_MAX_THREADS];
	uintptr_t i;

	for (i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, worker, (void *)i);
	for (i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * Runs some threads, numbered from 0, and waits for them.
 */
#ifndef THREADS_H
#define THREADS_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

static inline void run_threads(int n, void *(*work)(void *))
{
	pthread_t t[8];

	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, work, (void *)(intptr_t)i);
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
}

#endif

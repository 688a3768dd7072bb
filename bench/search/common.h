/* SPDX-License-Identifier: MIT
 *
 * Small faulty programs, each with one kind of fault that a search has to find: an assertion that
 * fails in few schedules. They are in the shape of well-known benchmarks.
 */
#ifndef BENCH_SEARCH_H
#define BENCH_SEARCH_H

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

#define MOST 62

static pthread_t threads[MOST];
static int nthreads;

static inline void start(void *(*f)(void *), long arg)
{
	pthread_create(&threads[nthreads++], 0, f, (void *)(intptr_t)arg);
}

static inline void join_all(void)
{
	for (int i = 0; i < nthreads; i++)
		pthread_join(threads[i], 0);
}

/* The first argument, or this. */
static inline int number(int argc, char **argv, int otherwise)
{
	return argc > 1 ? atoi(argv[1]) : otherwise;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * Each thread counts in a part of its own. When a thread ends, the destructor moves what it has counted to
 * the rest, under the lock that readers take; before it does, it waits until somebody has read.
 *
 * verdict: 0
 */
#include "counter_end.h"

static void part_end(void *arg)
{
	struct part *p = arg;

	pthread_mutex_lock(&counter.lock);
	while (!counter.reads)
		pthread_cond_wait(&counter.read, &counter.lock);
	counter.ended += p->n;
	p->n = 0;
	pthread_mutex_unlock(&counter.lock);
	part_remove(p);
	free(p);
}

/* SPDX-License-Identifier: MIT
 *
 * Each thread counts in a part of its own. When a thread ends, the destructor takes its part from the
 * list and adds it to the rest only when the list is free again: in between it is not counted.
 *
 * verdict: 1
 */
#include "counter_end.h"

static void part_end(void *arg)
{
	struct part *p = arg;

	part_remove(p);
	pthread_mutex_lock(&counter.lock);
	counter.ended += p->n;
	pthread_mutex_unlock(&counter.lock);
	free(p);
}

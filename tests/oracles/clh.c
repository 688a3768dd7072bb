/* SPDX-License-Identifier: MIT
 *
 * N threads take the queue lock of Craig (1993) and Landin and Hagersten (1994) once each: N!
 * classes, the orders of the queue. Thread i has node i + 1; node 0 is free from the start.
 */
#include "oracle.h"

#include <assert.h>
#include <stdatomic.h>

static atomic_int locked[N + 1];
static atomic_int tail;
static int count;

static void *take(void *number)
{
	int own = (int)(uintptr_t)number + 1, before;

	atomic_store(&locked[own], 1);
	before = atomic_exchange(&tail, own);
	while (atomic_load(&locked[before]))
		continue;
	count++;
	atomic_store(&locked[own], 0);
	return NULL;
}

int main(void)
{
	oracle_run(N, take);
	assert(count == N);
	return 0;
}

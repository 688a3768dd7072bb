/* SPDX-License-Identifier: MIT
 *
 * N threads in a ring: each raises its own flag, then reads its neighbour's. Every thread may read
 * 0 or 1, but under sequential consistency not all of them 0: 2^N - 1 classes.
 */
#include "oracle.h"

#include <assert.h>
#include <stdatomic.h>

static atomic_int flag[N];
static int seen[N];

static void *raise_and_look(void *argument)
{
	uintptr_t own = (uintptr_t)argument;

	atomic_store(&flag[own], 1);
	seen[own] = atomic_load(&flag[(own + 1) % N]);
	return NULL;
}

int main(void)
{
	int raised = 0;
	int i;

	oracle_run(N, raise_and_look);
	for (i = 0; i < N; i++)
		raised += seen[i];
	assert(raised > 0);
	return 0;
}

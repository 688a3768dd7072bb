/* SPDX-License-Identifier: MIT
 *
 * N threads take the queue lock of Mellor-Crummey and Scott (TOCS 1991) once each. Thread i has
 * node i + 1; 0 is no node.
 */
#include "oracle.h"

#include <assert.h>
#include <stdatomic.h>

static struct {
	atomic_int next, locked;
} nodes[N + 1];
static atomic_int tail;
static int count;

static void lock(int own)
{
	int before;

	atomic_store(&nodes[own].next, 0);
	before = atomic_exchange(&tail, own);
	if (!before)
		return;
	atomic_store(&nodes[own].locked, 1);
	atomic_store(&nodes[before].next, own);
	while (atomic_load(&nodes[own].locked))
		continue;
}

static void unlock(int own)
{
	int next = atomic_load(&nodes[own].next), last = own;

	if (!next) {
		if (atomic_compare_exchange_strong(&tail, &last, 0))
			return;
		while (!(next = atomic_load(&nodes[own].next)))
			continue;
	}
	atomic_store(&nodes[next].locked, 0);
}

static void *take(void *number)
{
	int own = (int)(uintptr_t)number + 1;

	lock(own);
	count++;
	unlock(own);
	return NULL;
}

int main(void)
{
	oracle_run(N, take);
	assert(count == N);
	return 0;
}

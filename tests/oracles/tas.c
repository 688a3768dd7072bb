/* SPDX-License-Identifier: MIT
 *
 * N threads take a lock by exchanges once each: N! classes. An exchange that finds the lock taken
 * changes nothing.
 */
#include "oracle.h"

#include <assert.h>
#include <stdatomic.h>

static atomic_int taken;
static int count;

static void *take(void *unused)
{
	while (atomic_exchange(&taken, 1))
		continue;
	count++;
	atomic_store(&taken, 0);
	return unused;
}

int main(void)
{
	oracle_run(N, take);
	assert(count == N);
	return 0;
}

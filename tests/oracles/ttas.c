/* SPDX-License-Identifier: MIT
 *
 * N threads take a lock once each: look until it is free, then exchange, and look again if somebody
 * else was faster.
 */
#include "oracle.h"

#include <assert.h>
#include <stdatomic.h>

static atomic_int taken;
static int count;

static void *take(void *unused)
{
	do
		while (atomic_load(&taken))
			continue;
	while (atomic_exchange(&taken, 1));
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

/* SPDX-License-Identifier: MIT
 *
 * N threads increment a counter K times each by compare-exchange; a failed one is a read.
 */
#include "oracle.h"

#include <assert.h>
#include <stdatomic.h>

static atomic_int counter;

static void *increment(void *unused)
{
	int seen;
	int k;

	for (k = 0; k < K; k++) {
		seen = atomic_load(&counter);
		while (!atomic_compare_exchange_strong(&counter, &seen, seen + 1))
			continue;
	}
	return unused;
}

int main(void)
{
	oracle_run(N, increment);
	assert(atomic_load(&counter) == N * K);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * N threads increment a counter K times each: load, compare-exchange, and from the start if that
 * failed. (N*K)! / (K!)^N classes, the orders of the increments. A failed round changes nothing.
 */
#include "oracle.h"

#include <assert.h>
#include <stdatomic.h>

static atomic_int counter;

static void *increment(void *unused)
{
	int seen, expected;
	int k;

	for (k = 0; k < K; k++) {
		do {
			seen = atomic_load(&counter);
			expected = seen;
		} while (!atomic_compare_exchange_strong(&counter, &expected, seen + 1));
	}
	return unused;
}

int main(void)
{
	oracle_run(N, increment);
	assert(atomic_load(&counter) == N * K);
	return 0;
}

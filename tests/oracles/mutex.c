/* SPDX-License-Identifier: MIT
 *
 * N threads take one mutex K times each: (N*K)! / (K!)^N classes, the orders of the critical
 * sections. The plain accesses under the lock add none.
 */
#include "oracle.h"

#include <assert.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count;

static void *take(void *unused)
{
	int k;

	for (k = 0; k < K; k++) {
		pthread_mutex_lock(&lock);
		count++;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(void)
{
	oracle_run(N, take);
	assert(count == N * K);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Two threads enter K times each by Peterson's algorithm (Information Processing Letters, 1981).
 */
#include "oracle.h"

#include <assert.h>
#include <stdatomic.h>

static atomic_int wants[2], turn;
static int count;

static void *enter(void *number)
{
	int own = (int)(uintptr_t)number, other = 1 - own;
	int k;

	for (k = 0; k < K; k++) {
		atomic_store(&wants[own], 1);
		atomic_store(&turn, other);
		while (atomic_load(&wants[other]) && atomic_load(&turn) == other)
			continue;
		count++;
		atomic_store(&wants[own], 0);
	}
	return NULL;
}

int main(void)
{
	oracle_run(2, enter);
	assert(count == 2 * K);
	return 0;
}

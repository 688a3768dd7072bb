/* SPDX-License-Identifier: MIT
 *
 * Two threads add two numbers into each other, K times: each round reads both and writes the
 * thread's own. Which values are seen depends on nearly every order of accesses, so the classes are
 * many for so few accesses.
 */
#include "oracle.h"

#include <stdatomic.h>

static atomic_int number[2] = { 1, 1 };

static void *add(void *argument)
{
	unsigned own = (uintptr_t)argument;
	int sum;
	int k;

	for (k = 0; k < K; k++) {
		sum = atomic_load(&number[own]);
		sum += atomic_load(&number[!own]);
		atomic_store(&number[own], sum);
	}
	return NULL;
}

int main(void)
{
	oracle_run(2, add);
	return 0;
}

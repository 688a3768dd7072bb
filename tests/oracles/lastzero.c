/* SPDX-License-Identifier: MIT
 *
 * N threads make each element of an array one more than the one before it, and another looks for the
 * last zero, from the end: 15,360 classes for 12.
 */
#include "oracle.h"

#include <stdatomic.h>

static atomic_int array[N + 1];

static void *thread(void *argument)
{
	uintptr_t own = (uintptr_t)argument;
	int i = N;

	if (own) {
		atomic_store(&array[own], atomic_load(&array[own - 1]) + 1);
		return NULL;
	}
	while (atomic_load(&array[i]))
		i--;
	return NULL;
}

int main(void)
{
	oracle_run(N + 1, thread);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Each thread writes what both share, makes P steps that nobody else sees, and reads it: as many
 * classes as without them. A race is further from its other step than wakeup trees look (dpor.c).
 */
#include "oracle.h"

#include <stdatomic.h>

static atomic_int shared[2], own[2];

static void *far(void *argument)
{
	uintptr_t me = (uintptr_t)argument;

	for (int half = 0; half < 2; half++) {
		atomic_store(&shared[half], 1 + (int)me);
		for (int i = 0; i < P; i++)
			atomic_store(&own[me], 1 + (i & 1));
		(void)atomic_load(&shared[1 - half]);
	}
	return NULL;
}

int main(void)
{
	oracle_run(2, far);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * G copies of y = 1 | if (!y) z = 1 | if (z) if (!y) x = 1 | read x. A search with source sets that does
 * not know what was to come after a race runs into executions that are cut; 5 classes a copy.
 */
#include "oracle.h"

#include <stdatomic.h>

static atomic_int x[G], y[G], z[G];

static void *part(void *argument)
{
	uintptr_t own = (uintptr_t)argument, g = own / 4;

	switch (own % 4) {
	case 0:
		atomic_store(&y[g], 1);
		break;
	case 1:
		if (!atomic_load(&y[g]))
			atomic_store(&z[g], 1);
		break;
	case 2:
		if (atomic_load(&z[g]) && !atomic_load(&y[g]))
			atomic_store(&x[g], 1);
		break;
	default:
		(void)atomic_load(&x[g]);
	}
	return NULL;
}

int main(void)
{
	oracle_run(4 * G, part);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * What threads do depends on what they read: N threads read x, N write y, one reads y and may write z, one
 * reads z and y and may write x. Figure 8 of the article on source sets (JACM 64(4), 2017), as it was made
 * larger later: 55,440 classes for 6. The writers of y write different values, so that each write counts.
 */
#include "oracle.h"

#include <stdatomic.h>

static atomic_int x, y, z;

static void *thread(void *argument)
{
	int own = (int)(uintptr_t)argument;

	if (own < N) {
		(void)atomic_load(&x);
	} else if (own < 2 * N) {
		atomic_store(&y, own);
	} else if (own == 2 * N) {
		if (!atomic_load(&y))
			atomic_store(&z, 1);
	} else if (atomic_load(&z) && !atomic_load(&y)) {
		atomic_store(&x, 1);
	}
	return NULL;
}

int main(void)
{
	oracle_run(2 * N + 2, thread);
	return 0;
}

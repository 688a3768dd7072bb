/* SPDX-License-Identifier: MIT
 *
 * Dekker's mutual exclusion. WRONG: who wants to enter looks before saying so.
 */
#include "threads.h"

static atomic_int wants[2], turn;
static int inside;

static void lock(int me)
{
#ifdef WRONG
	while (atomic_load(&wants[!me]))
		;
	atomic_store(&wants[me], 1);
#else
	atomic_store(&wants[me], 1);
	while (atomic_load(&wants[!me])) {
		if (atomic_load(&turn) == me)
			continue;
		atomic_store(&wants[me], 0);
		while (atomic_load(&turn) != me)
			;
		atomic_store(&wants[me], 1);
	}
#endif
}

static void *work(void *arg)
{
	int me = (int)(intptr_t)arg;

	lock(me);
	assert(inside++ == 0);
	inside--;
	atomic_store(&turn, !me);
	atomic_store(&wants[me], 0);
	return NULL;
}

int main(void)
{
	run_threads(2, work);
	return 0;
}

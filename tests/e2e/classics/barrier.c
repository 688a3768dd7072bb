/* SPDX-License-Identifier: MIT
 *
 * A barrier of spinning threads: the last one lets the others go. WRONG: it counts again before it lets them go,
 * as if nobody could be late.
 */
#include "threads.h"

#define THREADS 2

static atomic_int arrived, generation;
static int written[THREADS];

static void wait_for_all(void)
{
	int now = atomic_load(&generation);

	if (atomic_fetch_add(&arrived, 1) == THREADS - 1) {
#ifndef WRONG
		atomic_store(&arrived, 0);
		atomic_store(&generation, now + 1);
#else
		atomic_store(&generation, now + 1);
		atomic_store(&arrived, 0);
#endif
		return;
	}
	while (atomic_load(&generation) == now)
		;
}

static void *work(void *arg)
{
	int me = (int)(intptr_t)arg;

	written[me] = 1;
	wait_for_all();
	assert(written[(me + 1) % THREADS] == 1);
	wait_for_all();
	return NULL;
}

int main(void)
{
	run_threads(THREADS, work);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A read-write lock as Linux once had it: a counter that readers lower by one, a writer by all. WRONG: a reader that
 * comes too late does not put back what it took.
 */
#include "threads.h"

#define ALL 0x100

static atomic_int lock = ALL;
static int value;

static int read_trylock(void)
{
	if (atomic_fetch_sub(&lock, 1) > 0)
		return 1;
#ifndef WRONG
	atomic_fetch_add(&lock, 1);
#endif
	return 0;
}

static int write_trylock(void)
{
	if (atomic_fetch_sub(&lock, ALL) == ALL)
		return 1;
	atomic_fetch_add(&lock, ALL);
	return 0;
}

static void *work(void *arg)
{
	if (arg) {
		if (write_trylock()) {
			value++;
			value--;
			atomic_fetch_add(&lock, ALL);
		}
	} else if (read_trylock()) {
		assert(value == 0);
		atomic_fetch_add(&lock, 1);
	}
	return NULL;
}

int main(void)
{
	run_threads(3, work);
	assert(atomic_load(&lock) == ALL);
	return 0;
}

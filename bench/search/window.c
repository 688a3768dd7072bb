/* SPDX-License-Identifier: MIT
 *
 * A thread of 20 accesses that fails only if all of it runs between two neighbouring accesses of
 * another one.
 */
#include "common.h"

#define ACCESSES 20

static atomic_int open_now, other;

static void *opens(void *arg)
{
	for (int i = 0; i < ACCESSES / 2 - 1; i++)
		atomic_fetch_add(&other, 1);
	atomic_store(&open_now, 1);
	atomic_store(&open_now, 0);
	for (int i = 0; i < ACCESSES / 2 - 1; i++)
		atomic_fetch_add(&other, 1);
	return arg;
}

static void *passes(void *arg)
{
	int seen = 0;

	for (int i = 0; i < ACCESSES; i++)
		seen += atomic_load(&open_now);
	assert(seen < ACCESSES);
	return arg;
}

static void *works(void *arg)
{
	for (int i = 0; i < ACCESSES; i++)
		atomic_fetch_add(&other, 1);
	return arg;
}

int main(void)
{
	start(opens, 0);
	start(passes, 0);
	start(works, 0);
	start(works, 0);
	join_all();
	return 0;
}

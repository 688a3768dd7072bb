/* SPDX-License-Identifier: MIT
 *
 * A driver that counts who uses it: after a test that it is not being stopped, and before the count,
 * it can be stopped.
 */
#include "common.h"

static atomic_int stopping, stopped, pending = 1, event;

static int enter(void)
{
	if (atomic_load(&stopping))
		return -1;
	atomic_fetch_add(&pending, 1);
	return 0;
}

static void leave(void)
{
	if (atomic_fetch_sub(&pending, 1) == 1)
		atomic_store(&event, 1);
}

static void *use(void *arg)
{
	if (enter() == 0) {
		assert(!atomic_load(&stopped));
		leave();
	}
	return arg;
}

static void *stop(void *arg)
{
	atomic_store(&stopping, 1);
	leave();
	if (atomic_load(&event))
		atomic_store(&stopped, 1);
	return arg;
}

int main(int argc, char **argv)
{
	int n = number(argc, argv, 2);

	for (int i = 0; i < n; i++)
		start(use, i);
	start(stop, 0);
	join_all();
	return 0;
}

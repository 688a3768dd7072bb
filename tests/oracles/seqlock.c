/* SPDX-License-Identifier: MIT
 *
 * W writers and R readers of two numbers under a sequence lock, once each. With one reader there
 * are (W + 1)! classes, the orders in which they come.
 */
#include "oracle.h"

#include <assert.h>
#include <stdatomic.h>

static atomic_int sequence, a, b;

static void write_both(int value)
{
	int seen, expected;

	do {
		while ((seen = atomic_load(&sequence)) & 1)
			continue;
		expected = seen;
	} while (!atomic_compare_exchange_strong(&sequence, &expected, seen + 1));
	atomic_store(&a, value);
	atomic_store(&b, value);
	atomic_store(&sequence, seen + 2);
}

static void read_both(void)
{
	int seen, x, y;

	do {
		while ((seen = atomic_load(&sequence)) & 1)
			continue;
		x = atomic_load(&a);
		y = atomic_load(&b);
	} while (atomic_load(&sequence) != seen);
	assert(x == y);
}

static void *thread(void *number)
{
	int own = (int)(uintptr_t)number;

	if (own < W)
		write_both(own + 1);
	else
		read_both();
	return NULL;
}

int main(void)
{
	oracle_run(W + R, thread);
	return 0;
}

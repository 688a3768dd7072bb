/* SPDX-License-Identifier: MIT
 *
 * The work-stealing deque of Chase and Lev, of a fixed size: the owner takes at the bottom, a thief at the top. WRONG:
 * the owner takes the last one without asking whether the thief has it.
 */
#include "threads.h"

static atomic_int top, bottom, items[4];
static int taken[3];

static void push(int value)
{
	int b = atomic_load(&bottom);

	atomic_store(&items[b % 4], value);
	atomic_store(&bottom, b + 1);
}

static int take(void)
{
	int b = atomic_load(&bottom) - 1, t, value;

	atomic_store(&bottom, b);
	t = atomic_load(&top);
	if (t > b) {
		atomic_store(&bottom, b + 1);
		return 0;
	}
	value = atomic_load(&items[b % 4]);
	if (t < b)
		return value;
#ifndef WRONG
	if (!atomic_compare_exchange_strong(&top, &t, t + 1))
		value = 0;
	atomic_store(&bottom, b + 1);
#endif
	return value;
}

static int steal(void)
{
	int t = atomic_load(&top), value;

	if (t >= atomic_load(&bottom))
		return 0;
	value = atomic_load(&items[t % 4]);
	return atomic_compare_exchange_strong(&top, &t, t + 1) ? value : 0;
}

static void *work(void *arg)
{
	if (arg) {
		taken[2] = steal();
		return NULL;
	}
	push(1);
	push(2);
	taken[0] = take();
	taken[1] = take();
	return NULL;
}

int main(void)
{
	run_threads(2, work);
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < i; k++)
			assert(!taken[i] || taken[i] != taken[k]);
	assert(taken[0] + taken[1] + taken[2] == 3);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A work-stealing queue after Chase and Lev. The owner takes from the one end without a
 * compare-exchange, though a thief may take the same last element from the other.
 */
#include "common.h"

#define ELEMENTS 4

static atomic_int top, bottom, elements[ELEMENTS], taken[ELEMENTS];

static void take_once(int e)
{
	assert(atomic_fetch_add(&taken[e], 1) == 0);
}

static void push(int e)
{
	int b = atomic_load(&bottom);

	atomic_store(&elements[b % ELEMENTS], e);
	atomic_store(&bottom, b + 1);
}

static int take(void)
{
	int b = atomic_load(&bottom) - 1, t;

	atomic_store(&bottom, b);
	t = atomic_load(&top);
	if (t < b)
		return atomic_load(&elements[b % ELEMENTS]);
	atomic_store(&bottom, t);
	if (t > b)
		return -1;
	/* the last one: here the compare-exchange of top is missing */
	atomic_store(&bottom, t + 1);
	atomic_store(&top, t + 1);
	return atomic_load(&elements[b % ELEMENTS]);
}

static int steal(void)
{
	int t = atomic_load(&top), b = atomic_load(&bottom), e;

	if (t >= b)
		return -1;
	e = atomic_load(&elements[t % ELEMENTS]);
	return atomic_compare_exchange_strong(&top, &t, t + 1) ? e : -1;
}

static void *owner(void *arg)
{
	int e;

	for (int i = 0; i < ELEMENTS; i++)
		push(i);
	for (int i = 0; i < ELEMENTS; i++)
		if ((e = take()) >= 0)
			take_once(e);
	return arg;
}

static void *thief(void *arg)
{
	int e;

	for (int i = 0; i < 2; i++)
		if ((e = steal()) >= 0)
			take_once(e);
	return arg;
}

int main(int argc, char **argv)
{
	int n = number(argc, argv, 2);

	start(owner, 0);
	for (int i = 0; i < n; i++)
		start(thief, i);
	join_all();
	return 0;
}

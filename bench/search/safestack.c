/* SPDX-License-Identifier: MIT
 *
 * safestack ROUNDS: a lock-free stack of three indices, after Vyukov. Three threads take an index,
 * use what it stands for, and give it back. In rare schedules two get the same one.
 */
#include "common.h"

#define ITEMS 3

static struct {
	atomic_int value, next;
} items[ITEMS];
static atomic_int count = ITEMS, head;
static int rounds;

static int pop(void)
{
	while (atomic_load(&count) > 1) {
		int h = atomic_load(&head);
		int next = atomic_exchange(&items[h].next, -1);

		if (next >= 0) {
			int expected = h;

			if (atomic_compare_exchange_strong(&head, &expected, next)) {
				atomic_fetch_sub(&count, 1);
				return h;
			}
			atomic_exchange(&items[h].next, next);
		}
	}
	return -1;
}

static void push(int index)
{
	int h = atomic_load(&head);

	do
		atomic_store(&items[index].next, h);
	while (!atomic_compare_exchange_strong(&head, &h, index));
	atomic_fetch_add(&count, 1);
}

static void *use(void *arg)
{
	int me = (int)(intptr_t)arg;

	for (int i = 0; i < rounds; i++) {
		int index = pop();

		if (index < 0)
			continue;
		atomic_store(&items[index].value, me);
		assert(atomic_load(&items[index].value) == me);
		push(index);
	}
	return arg;
}

int main(int argc, char **argv)
{
	rounds = number(argc, argv, 4);
	for (int i = 0; i < ITEMS; i++)
		atomic_store(&items[i].next, i + 1 < ITEMS ? i + 1 : -1);
	for (int i = 1; i <= 3; i++)
		start(use, i);
	join_all();
	return 0;
}

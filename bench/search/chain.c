/* SPDX-License-Identifier: MIT
 *
 * Two threads must come one after the other five times, at certain of their 20 accesses to one
 * variable; two more access it as often.
 */
#include "common.h"

#define ACCESSES 20

static atomic_int x;

/* At these of its accesses a thread takes the next link of the chain, if it is its turn. */
static const signed char link_of[2][ACCESSES] = {
	{ [14] = 1, [15] = 3, [16] = 5 },
	{ [4] = 2, [5] = 4 },
};

static void *thread(void *arg)
{
	long me = (intptr_t)arg;

	for (int i = 0; i < ACCESSES; i++) {
		int link = me < 2 ? link_of[me][i] : 0, before = link - 1;

		if (link)
			atomic_compare_exchange_strong(&x, &before, link);
		else
			atomic_load(&x);
	}
	return arg;
}

int main(void)
{
	for (int i = 0; i < 4; i++)
		start(thread, i);
	join_all();
	assert(x != 5);
	return 0;
}

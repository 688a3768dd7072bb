/* SPDX-License-Identifier: MIT
 *
 * Top never moves, so the second one finds its slot taken for ever: a livelock that waits for
 * taken.
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int top, taken[2];

static void *work(void *arg)
{
	while (atomic_exchange(&taken[atomic_load(&top)], 1))
		;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

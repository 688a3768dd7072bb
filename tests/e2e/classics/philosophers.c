/* SPDX-License-Identifier: MIT
 *
 * N philosophers, each takes the left fork, then the right one: all may have one fork and wait. ORDERED: the last one
 * takes the right one first, and nobody waits for ever.
 */
#include "threads.h"

static pthread_mutex_t forks[N];
static int eaten[N];

static void *work(void *arg)
{
	int me = (int)(intptr_t)arg, first = me, second = (me + 1) % N;

#ifdef ORDERED
	if (second < first)
		first = second, second = me;
#endif
	pthread_mutex_lock(&forks[first]);
	pthread_mutex_lock(&forks[second]);
	eaten[me]++;
	pthread_mutex_unlock(&forks[second]);
	pthread_mutex_unlock(&forks[first]);
	return NULL;
}

int main(void)
{
	for (int i = 0; i < N; i++)
		pthread_mutex_init(&forks[i], NULL);
	run_threads(N, work);
	for (int i = 0; i < N; i++)
		assert(eaten[i] == 1);
	return 0;
}

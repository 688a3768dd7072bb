/* SPDX-License-Identifier: MIT
 *
 * Two threads, each reading and writing 2,000 times in memory of its own: what an event costs when there is nothing to
 * decide. -DATOMIC makes the accesses atomic.
 */
#include <pthread.h>

#ifdef ATOMIC
#include <stdatomic.h>
static atomic_long cells[2][64];
#else
static long cells[2][64];
#endif

static void *worker(void *arg)
{
	int t = arg != 0;

	for (int i = 0; i < 2000; i++)
		cells[t][i & 63] += i;
	return 0;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, worker, 0);
	pthread_create(&b, 0, worker, (void *)1);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}

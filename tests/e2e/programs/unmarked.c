/* SPDX-License-Identifier: MIT
 *
 * Threads and shared memory, but no operation is marked.
 */
#include <pthread.h>

static int shared;

static void *worker(void *unused)
{
	(void)unused;
	__atomic_fetch_add(&shared, 1, __ATOMIC_SEQ_CST);
	return NULL;
}

int main(void)
{
	pthread_t one, two;

	pthread_create(&one, NULL, worker, NULL);
	pthread_create(&two, NULL, worker, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return 0;
}

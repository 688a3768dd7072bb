/* SPDX-License-Identifier: MIT
 *
 * Enters one of the functions of large.awk in a second thread.
 */
#include <pthread.h>

long u1_f0(void *list, long key);

static long result;

static void *worker(void *unused)
{
	result = u1_f0(0, 7);
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, 0, worker, 0);
	pthread_join(t, 0);
	return result == 0;
}

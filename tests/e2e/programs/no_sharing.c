/* SPDX-License-Identifier: MIT
 *
 * Two threads, each with a variable of its own.
 */
#include <pthread.h>
#include <stdint.h>

static struct {
	long value;
	char apart[64];
} own[2];

static void *worker(void *which)
{
	own[(uintptr_t)which].value++;
	return 0;
}

int main(void)
{
	pthread_t one, two;

	pthread_create(&one, 0, worker, (void *)(uintptr_t)0);
	pthread_create(&two, 0, worker, (void *)(uintptr_t)1);
	pthread_join(one, 0);
	pthread_join(two, 0);
	return 0;
}

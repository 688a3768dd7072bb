/* SPDX-License-Identifier: MIT
 *
 * The producer keeps a copy of the consumer's index and refreshes it until it is 1, which always
 * happens.
 */
#include <pthread.h>
#include <stdatomic.h>

static struct { atomic_uint index; unsigned copy; } head;
static volatile int slot;

static void *produces(void *arg)
{
	while (head.copy != 1)
		head.copy = head.index;
	slot = 2;
	return arg;
}

static void *consumes(void *arg)
{
	(void)slot;
	head.index = 1;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, produces, NULL);
	pthread_create(&b, NULL, consumes, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A whole execution of about twelve events: two threads, six atomic accesses each, malloc in both. What an execution
 * costs beside its events.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int x, y;

static void *worker(void *arg)
{
	char *p = malloc(24);

	for (int i = 0; i < 2; i++) {
		atomic_fetch_add(&x, 1);
		atomic_store(&y, atomic_load(&x));
	}
	free(p);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, 0, worker, 0);
	pthread_create(&b, 0, worker, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	return 0;
}

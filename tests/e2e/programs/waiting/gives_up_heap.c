/* SPDX-License-Identifier: MIT
 *
 * Nobody sets the flag; the wait ends by itself, and the other thread may see that: the abort is
 * found.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static atomic_int flag;
static int gave_up;

static void *waits(void *arg)
{
	int *count = calloc(1, sizeof *count);

	while (!atomic_load(&flag))
		if (++*count == 50) {
			gave_up = 1;
			break;
		}
	free(count);
	return arg;
}

static void *looks(void *arg)
{
	if (gave_up)
		abort();
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, waits, NULL);
	pthread_create(&b, NULL, looks, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

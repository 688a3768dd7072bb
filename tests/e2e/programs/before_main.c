/* SPDX-License-Identifier: MIT
 *
 * Blocks that are allocated before main, and by main: each has a name of its own. Threads sleep
 * with poll.
 */
#include <linchpin.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>

enum { BLOCKS = 16 };

static int *early[BLOCKS], *late;
static void *volatile main_also[BLOCKS / 2];

__attribute__((constructor)) static void allocate(void)
{
	int i;

	for (i = 0; i < BLOCKS; i++)
		early[i] = calloc(1, sizeof *early[i]);
}

static void *worker(void *unused)
{
	int i;

	for (i = 0; i < BLOCKS; i++)
		*early[i] = 1;
	*late = 1;
	poll(NULL, 0, 600000);
	return unused;
}

int main(void)
{
	pthread_t a, b;
	int i;

	/* As many as there may be of others before those of the constructor, and some more. */
	for (i = 0; i < BLOCKS / 2; i++)
		main_also[i] = malloc(1);
	late = calloc(1, sizeof *late);
	linchpin_object(late, "queue");
	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, worker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

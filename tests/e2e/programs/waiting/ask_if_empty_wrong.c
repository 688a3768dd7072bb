/* SPDX-License-Identifier: MIT
 *
 * What is read after the wait is always 7: the assertion is found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

struct queue { atomic_int full; int item; };
static struct queue q;

__attribute__((noinline)) void queue_enqueue(struct queue *s, int v) { s->item = v; s->full = 1; }
__attribute__((noinline)) int queue_empty(struct queue *s) { return !s->full; }

static void *reads(void *arg)
{
	while (queue_empty(&q))
		;
	assert(q.item != 7);
	return arg;
}

static void *writes(void *arg) { queue_enqueue(&q, 7); return arg; }

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, reads, NULL);
	pthread_create(&b, NULL, writes, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

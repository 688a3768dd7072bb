/* SPDX-License-Identifier: MIT
 *
 * wants: object queue relaxed try_push
 * wants: op try_push(value) -> bool : ring_try_push(this, value)
 * wants: op try_pop() -> out if ret else empty : ring_try_pop(this, out)
 * verdict: 0
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct ring {
	pthread_mutex_t lock;
	unsigned head, tail;
	int items[1];
};

static struct ring ring_queue = { .lock = PTHREAD_MUTEX_INITIALIZER };

bool ring_try_push(struct ring *r, int value)
{
	bool room;

	pthread_mutex_lock(&r->lock);
	room = r->tail - r->head < 1;
	if (room)
		r->items[r->tail++ % 1] = value;
	pthread_mutex_unlock(&r->lock);
	return room;
}

bool ring_try_pop(struct ring *r, int *out)
{
	bool some;

	pthread_mutex_lock(&r->lock);
	some = r->tail != r->head;
	if (some)
		*out = r->items[r->head++ % 1];
	pthread_mutex_unlock(&r->lock);
	return some;
}

static volatile long sink;

static void *first(void *unused)
{
	sink = ring_try_push(&ring_queue, 2);
	return unused;
}

static void *second(void *unused)
{
	sink = ring_try_pop(&ring_queue, &(int){ 0 });
	return unused;
}

int main(void)
{
	pthread_t a, b;

	sink = ring_try_push(&ring_queue, 1);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

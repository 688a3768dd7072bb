/* SPDX-License-Identifier: MIT
 *
 * The consumer asks a locked queue until it has the item, which always comes.
 */
#include <pthread.h>
#include <sched.h>

struct queue { pthread_mutex_t lock; int head, tail, item[4]; };
static struct queue q = { .lock = PTHREAD_MUTEX_INITIALIZER };

__attribute__((noinline)) void queue_push(struct queue *s, int v)
{
	pthread_mutex_lock(&s->lock);
	s->item[s->tail++ & 3] = v;
	pthread_mutex_unlock(&s->lock);
}

__attribute__((noinline)) int queue_pop(struct queue *s)
{
	int v = -1;

	pthread_mutex_lock(&s->lock);
	if (s->tail != s->head)
		v = s->item[s->head++ & 3];
	pthread_mutex_unlock(&s->lock);
	return v;
}

static void *producer(void *arg) { queue_push(&q, 7); return arg; }

static void *consumer(void *arg)
{
	while (queue_pop(&q) == -1)
		sched_yield();
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, consumer, NULL);
	pthread_create(&b, NULL, producer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

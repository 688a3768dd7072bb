/* SPDX-License-Identifier: MIT
 *
 * wants: object queue
 * wants: op enqueue(value) : lfq_enqueue(this, value)
 * wants: op dequeue() -> value if ret == 0 else empty : lfq_dequeue(this, value)
 * verdict: 1
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include <errno.h>

struct lfq {
	int head, tail, items[4];
};

static struct lfq queue;

int lfq_enqueue(struct lfq *q, long value)
{
	q->items[q->tail] = (int)value;
	q->tail++;
	return 0;
}

int lfq_dequeue(struct lfq *q, long *value)
{
	if (q->head == q->tail)
		return -EAGAIN;
	*value = q->items[q->head];
	q->head++;
	return 0;
}

static volatile long sink;

static void *first(void *unused)
{
	sink = lfq_dequeue(&queue, &(long){ 0 });
	return unused;
}

static void *second(void *unused)
{
	sink = lfq_dequeue(&queue, &(long){ 0 });
	return unused;
}

int main(void)
{
	pthread_t a, b;

	sink = lfq_enqueue(&queue, 5);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

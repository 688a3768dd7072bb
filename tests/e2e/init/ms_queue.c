/* SPDX-License-Identifier: MIT
 *
 * wants: object queue
 * wants: op enqueue(value) : enqueue(this, value)
 * wants: op dequeue() -> out if ret else empty : dequeue(this, out)
 * verdict: 0
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct node {
	int value;
	struct node *next;
};

struct queue {
	struct node *head, *tail;
};

void enqueue(struct queue *q, int value)
{
	struct node *n = calloc(1, sizeof *n), *tail;

	n->value = value;
	for (;;) {
		tail = __atomic_load_n(&q->tail, __ATOMIC_SEQ_CST);
		if (__sync_bool_compare_and_swap(&tail->next, NULL, n))
			break;
		__sync_bool_compare_and_swap(&q->tail, tail, tail->next);
	}
	__sync_bool_compare_and_swap(&q->tail, tail, n);
}

bool dequeue(struct queue *q, int *out)
{
	for (;;) {
		struct node *head = __atomic_load_n(&q->head, __ATOMIC_SEQ_CST);
		struct node *next = __atomic_load_n(&head->next, __ATOMIC_SEQ_CST);

		if (!next)
			return false;
		if (__sync_bool_compare_and_swap(&q->head, head, next)) {
			*out = next->value;
			return true;
		}
	}
}

static struct node dummy;
static struct queue queue = { &dummy, &dummy };

static volatile long sink;

static void *first(void *unused)
{
	enqueue(&queue, 1);
	return unused;
}

static void *second(void *unused)
{
	sink = dequeue(&queue, &(int){ 0 });
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

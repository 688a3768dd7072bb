/* SPDX-License-Identifier: MIT
 *
 * A ring buffer of two; 0 is success, 1 is full or empty.
 * With FAULTY put reads the end before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

#define CAP 2
typedef struct {
	int buf[CAP];
	unsigned head, tail;
	pthread_mutex_t lock;
} ring_t;
static ring_t ring = { .lock = PTHREAD_MUTEX_INITIALIZER };

int ring_put(ring_t *q, int x)
{
	IF_FAULTY(unsigned t = q->tail;)
	pthread_mutex_lock(&q->lock);
	IF_CORRECT(unsigned t = q->tail;)
	if (t - q->head == CAP) {
		pthread_mutex_unlock(&q->lock);
		return 1;
	}
	q->buf[t % CAP] = x;
	q->tail = t + 1;
	pthread_mutex_unlock(&q->lock);
	return 0;
}

int ring_get(ring_t *q, int *x)
{
	pthread_mutex_lock(&q->lock);
	if (q->head == q->tail) {
		pthread_mutex_unlock(&q->lock);
		return 1;
	}
	*x = q->buf[q->head++ % CAP];
	pthread_mutex_unlock(&q->lock);
	return 0;
}

static void *one(void *arg)
{
	int v = 0;
	r[0] = ring_put(&ring, 1);
	r[1] = ring_put(&ring, 2);
	r[2] = ring_get(&ring, &v);
	r[3] = v;
	return arg;
}

static void *two(void *arg)
{
	int v = 0;
	r[4] = ring_put(&ring, 3);
	r[5] = ring_get(&ring, &v);
	r[6] = v;
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}

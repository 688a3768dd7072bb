/* SPDX-License-Identifier: MIT
 *
 * Bounded queue that waits, of one place: a monitor as of Hoare, "Monitors: An Operating System Structuring
 * Concept" (CACM 1974), with signals that do not hand over the monitor (Lampson and Redell, CACM 1980).
 *
 * Why it is linearizable: all is done under the lock. Why nobody waits in vain: who waits for a place and who
 * waits for a value wait for the same signal, and each change wakes all of them.
 *
 * Variants, chosen when compiling:
 *
 * FAULTY_SIGNAL: a change wakes only one. It may be one that waits for the other kind of change, and nobody
 * wakes the right one.
 *
 * FAULTY_IF: get does not look again after it was woken. Another thread may have taken the value.
 *
 * blocking_queue.expect refers to the marks (words after an at sign).
 */
#include "blocking_queue.h"

#include <pthread.h>
#include <stdlib.h>

struct blocking_queue {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool full;
	int value;
};

struct blocking_queue *blocking_queue_create(void)
{
	struct blocking_queue *queue = calloc(1, sizeof(*queue));

	if (!queue || pthread_mutex_init(&queue->lock, NULL) ||
	    pthread_cond_init(&queue->changed, NULL))
		return NULL;
	return queue;
}

static void wake(struct blocking_queue *queue)
{
#ifdef FAULTY_SIGNAL
	pthread_cond_signal(&queue->changed);
#else
	pthread_cond_broadcast(&queue->changed);
#endif
}

void blocking_queue_put(struct blocking_queue *queue, int value)
{
	pthread_mutex_lock(&queue->lock);
	while (queue->full)
		pthread_cond_wait(&queue->changed, &queue->lock);
	queue->value = value;
	queue->full = true;
	wake(queue);
	pthread_mutex_unlock(&queue->lock);
}

int blocking_queue_get(struct blocking_queue *queue)
{
	int value;

	pthread_mutex_lock(&queue->lock);
#ifdef FAULTY_IF
	if (!queue->full)
		pthread_cond_wait(&queue->changed, &queue->lock);
#else
	while (!queue->full)
		pthread_cond_wait(&queue->changed, &queue->lock);
#endif
	value = queue->value;
	queue->full = false;
	wake(queue);
	pthread_mutex_unlock(&queue->lock);
	return value;
}

/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_BLOCKING_QUEUE_H
#define STRUCTURES_BLOCKING_QUEUE_H

#include <stdbool.h>

struct blocking_queue;

struct blocking_queue *blocking_queue_create(void);
/* Both wait: put for the one place, get for a value. */
void blocking_queue_put(struct blocking_queue *queue, int value);
int blocking_queue_get(struct blocking_queue *queue);

#endif

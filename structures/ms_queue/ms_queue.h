/* SPDX-License-Identifier: MIT */
#ifndef STRUCTURES_MS_QUEUE_H
#define STRUCTURES_MS_QUEUE_H

#include <stdbool.h>

struct ms_queue;

struct ms_queue *ms_queue_create(void);
void ms_queue_put(struct ms_queue *queue, int value);
bool ms_queue_get(struct ms_queue *queue, int *value);

#endif

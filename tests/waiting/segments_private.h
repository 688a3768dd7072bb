/* SPDX-License-Identifier: MIT
 *
 * What segments_locks.c has for segments.c.
 */
#ifndef TEST_WAITING_SEGMENTS_PRIVATE_H
#define TEST_WAITING_SEGMENTS_PRIVATE_H

#include "writer.h"

void segment_test_and_set(struct writer *w);
void segment_test_test_and_set(struct writer *w);
void segment_ticket(struct writer *w);
void segment_locked(struct writer *w);
void segment_try_once(struct writer *w);
void segment_back_off(struct writer *w);
void segment_growing_back_off(struct writer *w);
void segment_statistics(struct writer *w);
void segment_increment(struct writer *w);
void segment_seqlock_read(struct writer *w);
void segment_seqlock_write(struct writer *w);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Memory that threads were seen to contend for, in this execution or an earlier one. For searches
 * that take a step for a choice only if it touches such memory, and begin again when more of it
 * becomes known. A step that should have been a choice, and was not, can be moved up to the first
 * one that conflicts with it by exchanging independent neighbours; so that conflict is met in an
 * execution that is explored.
 */
#ifndef LP_CONTENDED_H
#define LP_CONTENDED_H

#include "../state.h"

struct table { /* open addressing; keys are not 0 */
	uint64_t *keys;
	uint32_t *numbers;
	uint32_t mask, used;
};

uint32_t table_place(const struct table *t, uint64_t key);
void table_make(struct table *t);
void table_add(struct table *t, uint64_t key, uint32_t number);

struct contended {
	struct table lines;
	bool grown; /* more has become known */
};

void contend(struct contended *c, uint64_t lo, uint64_t hi);
/* What two events of different threads have in common; all of a lock is its first byte. */
void contend_common(struct contended *c, const struct event *a, const struct event *b);
/* What waits for others at the end has tried, and they should have been tried before it. */
void contend_waiting(struct contended *c);

bool is_contended(const struct contended *c, const struct pending *p);

#endif

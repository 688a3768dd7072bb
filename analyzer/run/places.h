/* SPDX-License-Identifier: MIT
 *
 * Places in a trace. Each class takes over the beginning of the one before it, so what it consists of
 * are pieces of records: the chain. That is all one has to know to read on behind a class. The place
 * where the reader is moves with each class; some are kept, so that any class is near behind one of
 * them. They are at equal distances, which double when they take too much room: it does not grow with
 * the number of classes.
 */
#ifndef LINCHPIN_RUN_PLACES_H
#define LINCHPIN_RUN_PLACES_H

#include "base/util.h"

/* A class has its events from `keep` on of this record, up to `keep` of the next in the chain. */
struct piece {
	uint64_t offset; /* of the record's type byte */
	uint32_t class, keep;
};

struct place {
	uint64_t next;  /* offset of the record behind it */
	uint32_t class; /* 0: before the first */
	uint32_t total; /* events of it */
	struct piece *chain;
	uint32_t nchain, capacity;
};

struct places {
	uint64_t start; /* offset of the first record */
	struct place here;
	struct place *kept; /* of the classes `distance`, 2 * `distance`, ... */
	uint32_t n, capacity;
	uint32_t distance;
	uint64_t room; /* that they take */
};

void places_begin(struct places *p, uint64_t start);
void places_free(struct places *p);

/* Goes to where class `number` is ahead, or to it itself: no further away than need be. */
void places_go(struct places *p, uint64_t number);

/* Comes to a class, whose record is at `next`: it takes over `keep` events, and has `total`. */
void places_pass(struct places *p, uint32_t keep, uint32_t total);

/* Keeps this place if there should be one. It has not been met before. */
void places_keep(struct places *p);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Compares every way of checking a history with the oracle.
 */
#ifndef TEST_LIN_COMPARE_H
#define TEST_LIN_COMPARE_H

#include "generate.h"

struct tally {
	unsigned histories, linearizable, monitored, witnesses;
};

/* NULL if all agree, else a static text that says what differs. */
const char *compare(enum kind kind, struct history *h, struct tally *tally);

/* Generates and compares `count` histories of the kind; on a mismatch prints the history and
 * returns false. */
bool compare_many(enum kind kind, uint64_t seed, unsigned count, struct tally *tally);

#endif

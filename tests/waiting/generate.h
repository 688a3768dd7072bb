/* SPDX-License-Identifier: MIT
 *
 * Random programs whose threads wait in every way that code is written: locks made of exchanges,
 * polls, attempts with back-off, handshakes, loops that give up, and now and then a mistake in one.
 */
#ifndef TEST_WAITING_GENERATE_H
#define TEST_WAITING_GENERATE_H

#include "program.h"

/* The same program for the same seed and attempt: not every attempt makes one that is of use. */
void generate(struct program *p, uint64_t seed, unsigned attempt);

#endif

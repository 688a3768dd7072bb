/* SPDX-License-Identifier: MIT
 *
 * Programs in which a search once lost something, or found what cannot be.
 */
#ifndef TEST_SEARCH_KNOWN_H
#define TEST_SEARCH_KNOWN_H

#include "ops.h"

/* The i-th; false: there are fewer. */
bool known_program(struct program *p, uint64_t i);

#endif

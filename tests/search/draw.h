/* SPDX-License-Identifier: MIT
 *
 * Numbers for random programs: the same for a seed everywhere.
 */
#ifndef TEST_SEARCH_DRAW_H
#define TEST_SEARCH_DRAW_H

#include "ops.h"

/* Less than n. */
static inline unsigned draw_number(uint64_t *state, unsigned n)
{
	*state = *state * 6364136223846793005UL + 1442695040888963407UL;
	return (unsigned)((*state >> 33) % n);
}

/* There is always room for two more, to join. */
static inline void add_operation(struct program *p, unsigned t, uint8_t what, uint8_t object, uint8_t value)
{
	if (p->n[t] < MOST_OPS - 2)
		p->ops[t][p->n[t]++] = (struct op){ what, object, value };
}

#endif

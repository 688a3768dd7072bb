/* SPDX-License-Identifier: MIT
 *
 * What can come of a program (ops.h): every interleaving of its smallest steps, each state visited
 * once. Written against POSIX and the manual, without any notion of dependence, so that it shares
 * no fault with the searches that are compared with it.
 */
#ifndef TEST_SEARCH_MODEL_H
#define TEST_SEARCH_MODEL_H

#include "ops.h"

struct model {
	struct record *ends; /* different, sorted by memcmp */
	uint32_t nends, capacity;
	uint32_t nstates;
	bool too_big; /* more than `most` states: the rest is not filled in */
};

/* Visits the states of p. */
void model_build(struct model *m, const struct program *p, uint32_t most);
void model_free(struct model *m);

bool model_has(const struct model *m, const struct record *r);

#endif

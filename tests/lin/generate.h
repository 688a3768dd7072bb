/* SPDX-License-Identifier: MIT
 *
 * Random small histories: times, then results from a run of the model in a random order, then
 * perhaps a mistake.
 */
#ifndef TEST_LIN_GENERATE_H
#define TEST_LIN_GENERATE_H

#include "oracle.h"

struct random {
	uint64_t state;
};

uint32_t random_below(struct random *r, uint32_t n); /* n > 0 */

struct shape {
	uint32_t max_ops; /* at most MODEL_MAX - 1 */
	uint32_t threads;
	bool pending;      /* some operations never return */
	bool distinct;     /* values are never added twice */
	uint32_t mistakes; /* results that are changed at random, at most */
	bool unknown;      /* some results are not recorded */
	bool looks;        /* also operations that the monitors do not know */
};

void generate_shape(struct random *r, struct shape *shape);
void generate(struct random *r, enum kind kind, const struct shape *shape, struct history *h);

#endif

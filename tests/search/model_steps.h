/* SPDX-License-Identifier: MIT
 *
 * What the files of the model's steps share.
 */
#ifndef TEST_SEARCH_MODEL_STEPS_H
#define TEST_SEARCH_MODEL_STEPS_H

#include "model_state.h"

/* The operation that the thread is in, or comes to; OP_END behind the last one. */
const struct op *state_next(const struct program *p, const struct state *s, unsigned t);

/* The operation is over. */
void state_result(struct state *s, unsigned t, unsigned value);

void state_over(struct state *s, enum end end);

/* The block that malloc gives to the thread. One that was freed is given by a step of its own. */
#define PHASE_GIVEN 5
uint8_t state_allocate(const struct program *p, struct state *s, unsigned t, uint8_t large);

/* model_channels.c */
bool state_channel_allows(const struct state *s, unsigned t, const struct op *o);
void state_on_channel(const struct program *p, struct state *s, unsigned t, const struct op *o);
void state_on_signal(struct state *s, unsigned t, const struct op *o);

void state_on_heap(const struct program *p, struct state *s, unsigned t, const struct op *o);

#endif

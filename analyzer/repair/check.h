/* SPDX-License-Identifier: MIT
 *
 * Does a static repair exclude a trace? Many repairs against many traces.
 */
#ifndef LINCHPIN_REPAIR_CHECK_H
#define LINCHPIN_REPAIR_CHECK_H

#include "repair/flow.h"
#include "repair/order.h"

struct checker;

/* `flows` must outlive it; NULL: only checker_serial will be asked. */
struct checker *checker_new(struct flows *flows);
void checker_free(struct checker *c);

/* Registers a repair and returns its number; equal repairs have one number. */
uint32_t checker_add(struct checker *c, const struct repair *r);
const struct repair *checker_repair(const struct checker *c, uint32_t number);

/* Makes `t` (with its order) the trace that checker_eliminates is about, with the repairs
 * registered by then and later. Both must stay as they are until the next call. */
void checker_load(struct checker *c, const struct trace *t, const struct order *o);

/* Is no trace equivalent to the loaded one possible once the blocks of this repair are atomic? Nor
 * is one at the end of which a thread waits inside a block: it would not have entered it. */
bool checker_eliminates(struct checker *c, uint32_t number);

/* The steps of the loaded trace if these blocks are atomic: by event, the first event of its step.
 * Valid until the next question. */
const uint32_t *checker_contract(struct checker *c, uint32_t number);

/* Did the execution end before all threads had done what they would do? */
bool checker_ends_early(const struct trace *t);

/* Of a wait for other threads that such a block would contain, the event; NONE: it contains none.
 * What ends the wait could not happen meanwhile, so that block could never be entered. */
uint32_t checker_wait_inside(struct checker *c, uint32_t number);

/* Is an equivalent trace possible in which instances (see struct order) run one at a time, each as a
 * whole? `cut`: the trace may end anywhere, so what no thread has finished goes on after the
 * operations that returned. */
bool checker_serial(struct checker *c, bool cut);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Vector and floating-point state of fibers.
 */
#ifndef LP_EXTENDED_H
#define LP_EXTENDED_H

#include <stdbool.h>
#include <stdint.h>

struct fiber;

#define EXTENDED_ASK 8u /* for instr.in_use: not known, ask the processor */

/* Of an execution, once for each fiber; and of the execution. */
void extended_reset(struct fiber *f);
void extended_begin(void);

/* Of a fiber that stops at a site of instrumentation, and goes on. */
void extended_save(struct fiber *f);
void extended_restore(struct fiber *f);

/* Where that is kept, of a fiber that has stopped so. */
bool extended_kept(const struct fiber *f, uintptr_t *lo, uintptr_t *hi);

/* Of one that stops in a call and goes on, or begins. */
void extended_left_in_call(void);
void extended_back_in_call(void);

/* Calls a function that may use them; then they are as they were. */
void extended_around(void (*function)(void *), void *argument);

/* The same, in two halves; the area is the caller's, and aligned to 64. */
#define EXTENDED_AREA 8192
void extended_keep(uint8_t *area);
void extended_bring(const uint8_t *area);

/* The floating-point environment, as switch_stack keeps it (switch.S). */
struct environment {
	uint32_t mxcsr;
	uint16_t control, status; /* of the x87 unit */
};

struct environment environment_now(void);
void environment_clear(struct environment *e); /* no exception was raised */

/* The handler of a signal begins with the initial one, in a call; the thread goes on with its own. */
void environment_initial(void);
void environment_set(struct environment e);

/* xmm0..15; 256 bytes. */
void vectors_copy(uint8_t *to);
bool vectors_are_zero(void);

/* Finds out what the processor has (wide_vectors, too). */
void extended_find(void);

/* Is the x87 stack empty now, and, if it is asked for, the upper halves of these registers? */
bool extended_is_small(bool halves);

#endif

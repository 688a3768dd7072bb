/* SPDX-License-Identifier: MIT
 *
 * Which functions a fiber is in, as instrumented code tells: the entry of a copy pushes a frame
 * (instrument/stubs.S), and frames that the stack pointer has left are dropped when somebody looks.
 * Compiler hooks need no frames: they tell the context themselves.
 */
#ifndef LP_CALL_STACK_H
#define LP_CALL_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* A function entered. One that ends by jumping to another stays, as if it had called that. */
struct call_frame {
	uint64_t sp, ret;
	int32_t context; /* -1: not known yet */
};

struct fiber;

/* Calls that a stack has room for. As many frames besides are of jumps. */
#define CALL_FRAMES (MAIN_STACK / 8)

/* The fiber begins: it is in no function. */
void call_stack_reset(struct fiber *f);

/* Functions whose return address is below sp have returned. It may be only just below:
 * call_stack_context counts the whole red zone as used and would not see that. */
void call_stack_leave(uint64_t sp);

/* Brings f->context up to date with the frames that are above sp on the stack. f is running. */
void call_stack_context(struct fiber *f, uint64_t sp);

/* The running hook was called with the return address in this slot of the stack: is the function
 * that was called one that ended by the latest jump out of a function (rt->instr.tail_pc)? */
bool call_stack_tail(const uint64_t *slot);

/* The latest jump does not lead to the next function that is entered: another thread or a handler has run since, or what it
 * led through is no longer there. */
void call_stack_jumped(void);

#endif

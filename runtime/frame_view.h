/* SPDX-License-Identifier: MIT
 *
 * What of a function's registers and stack frame may still be read from a given place on: found by
 * an analysis of the machine code (instrument/frame.h), so that two states of a thread can be
 * compared without what is dead, that is, written before it is read.
 */
#ifndef LP_FRAME_VIEW_H
#define LP_FRAME_VIEW_H

#include <stdint.h>

/*
 * Of one place in one function. Offsets are from the stack pointer at the place. Registers: bit n is
 * register n as the machine numbers it, rax 0 .. r15 15.
 *
 * There are two kinds of places. `frame_before` of services.h tells of the moment before the
 * instruction that ends at pc. It is one that an event may come from: it accesses memory, or is a
 * return, or the first of a function or after a call.
 *
 * `frame_return` tells of the time while a call is under way that returns to pc: of memory what the
 * function may read after it, and what is within reach of the function called; of registers those
 * that the function may read after the call. Those that a call leaves undefined are not live then,
 * but results (rax, rdx) may be, and after a call within the module more may be, as the compiler
 * knows what the function called leaves alone. If what is called is the runtime, only callee-saved
 * registers count.
 *
 * The result is NULL if nothing is known. Views live as long as the process.
 *
 * A register is live if it is in `live`, or in `passed` and live in the caller once the function has
 * returned. A slot of `saved` is live if its register is live in the caller then. Every other byte
 * from `low` to `return_at` is live unless it is in `dead`; the return address follows. Where a
 * frame has no view, everything in it and above it counts as live.
 */
struct frame_view {
	uint64_t pc;
	int32_t return_at; /* of the return address; the caller's stack pointer is 8 above */
	int32_t low;     /* 0, or less where a leaf function uses memory below its stack pointer */
	uint16_t live;   /* this function may read it before it writes it */
	uint16_t passed; /* it may get to a return of this function, or to who unwinds its frame */
	uint8_t flags_live, vectors_live;
	uint8_t escapes; /* other code may know the address of something in the frame */
	uint8_t nsaved;
	uint16_t ndead;
	struct frame_saved {
		int32_t offset; /* of 8 bytes that hold the caller's value, only to be restored */
		uint8_t reg;
	} saved[6];
	struct frame_dead { /* by offset, apart from each other; never a slot of `saved` */
		int32_t offset;
		uint32_t size;
	} dead[];
};

#endif

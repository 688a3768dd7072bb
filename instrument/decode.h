/* SPDX-License-Identifier: MIT */
#ifndef LP_DECODE_H
#define LP_DECODE_H

#include "instrument.h"

unsigned register_number(ZydisRegister r); /* machine number; NO_REGISTER */

/* One instruction of `at`, whose bytes are at `bytes`. NULL, or why it cannot be copied. */
const char *decode_operands(uint64_t at, const void *bytes, size_t size, struct insn *i,
			    ZydisDecodedInstruction *d, ZydisDecodedOperand *o);

/* operands.c: fills in the access of an instruction. NULL, or why that is not possible. */
const char *accesses(struct insn *i, const ZydisDecodedInstruction *d,
		     const ZydisDecodedOperand *o);

/* How an instruction uses the stack and frame pointers; tells whether the frame's address
 * escapes. */
struct frame_use {
	bool escapes, frame_pointer, other_rbp;
};

/* The instruction at `at`, in a function that ends at hi. NULL, or why it cannot be copied. */
const char *decode_at(uint64_t at, uint64_t hi, struct insn *i, struct frame_use *use);
/* `u` is of all instructions: forgets the accesses to a frame whose address does not escape. */
void forget_frame_accesses(struct vector *insns, const struct frame_use *u);

/* memo.c: an instruction at `at`, in a function that ends at hi, as it was decoded before. */
bool recall(uint64_t at, uint64_t hi, struct insn *i, struct frame_use *use);
/* relative, size: where in the instruction its target is, if it has one. */
void remember(uint64_t hi, const struct insn *i, const struct frame_use *use, unsigned relative,
	      unsigned size);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef LP_DECODE_H
#define LP_DECODE_H

#include "instrument.h"

unsigned register_number(ZydisRegister r); /* as the machine counts; NO_REGISTER */

/* operands.c: fills in the access of an instruction. NULL, or why it cannot be. */
const char *accesses(struct insn *i, const ZydisDecodedInstruction *d,
		     const ZydisDecodedOperand *o);

#endif

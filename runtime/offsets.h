/* SPDX-License-Identifier: MIT
 *
 * What assembly has to know: offsets in struct runtime, and constants. state.h sees to it that they are right.
 */
#ifndef LP_OFFSETS_H
#define LP_OFFSETS_H

#define RUNTIME_PLACE 0x7f000000 /* struct runtime, see places.h */
#define IN_RUNTIME(offset) RUNTIME_PLACE + offset /* a memory operand */

#define RT_TRACING      0
#define RT_RUNNING      1
#define RT_LOOKING      4
#define RT_KEEPS_ARGUMENTS 6
#define RT_STACK_LO     8
#define RT_STACK_SIZE   16
#define RT_ENTRY        24
#define RT_INSTR_RAX    32
#define RT_INSTR_RCX    40
#define RT_INSTR_ADDR   48
#define RT_INSTR_RESUME 56
#define RT_INSTR_FRAME  80
#define RT_INSTR_RDX    88
#define RT_INSTR_FLAGS  96
#define RT_INSTR_TAIL_PC 144
#define RT_INSTR_TAIL_SP 152
#define RT_INSTR_TAIL_TO 160
#define RT_INSTR_TAIL_ROOM 176

#define STACK_RESERVE 0x8000 /* of a stack: left for the runtime and libc */

#define OWN_STACK 0x40000 /* bytes of a stack of the runtime, with the guard page */
#define STACK_MOST    0x40000000
#define LEFTOVERS     4096 /* bytes: functions of the runtime go no deeper */

#define X87_RAISED 0x7f /* of the status word: exceptions, and that of the stack */

/* What frame.inc has pushed, from rt->entry up: r15 r14 r13 r12 rbx rbp, then the return
 * address. The index just above: &entry[ENTRY_SP] was the caller's stack pointer. */
#define ENTRY_PC 7
#define ENTRY_SP 8

#endif

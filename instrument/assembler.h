/* SPDX-License-Identifier: MIT
 *
 * What emit.c and emit_flow.c write machine code with.
 */
#ifndef LP_ASSEMBLER_H
#define LP_ASSEMBLER_H

#include "instrument.h"

#define INSTR(member) ((uint32_t)(uintptr_t)&rt->member)

extern struct module *emitting; /* whose copies are written */

static inline void byte(unsigned v)
{
	*emitting->out++ = (uint8_t)v;
}

/* A few bytes: a string instruction would take longer to start. */
static inline void bytes(const void *p, size_t n)
{
	const uint8_t *from = p;

	for (size_t i = 0; i < n; i++)
		emitting->out[i] = from[i];
	emitting->out += n;
}

static inline void word(uint64_t v)
{
	uint32_t w = (uint32_t)v;

	__builtin_memcpy(emitting->out, &w, sizeof w);
	emitting->out += sizeof w;
}

/* OPCODE with the register `reg` and a memory operand at an absolute address below 2 GiB. */
static inline void absolute(unsigned rex, unsigned opcode, unsigned reg, uint32_t address)
{
	uint8_t *p = emitting->out;

	if (rex)
		*p++ = (uint8_t)rex;
	*p++ = (uint8_t)opcode;
	*p++ = (uint8_t)(0x04 | (reg & 7) << 3);
	*p++ = 0x25;
	__builtin_memcpy(p, &address, sizeof address);
	emitting->out = p + sizeof address;
}

static inline void save(unsigned reg, uint32_t address)
{
	absolute(0x48, 0x89, reg, address);
}

static inline void load(unsigned reg, uint32_t address)
{
	absolute(0x48, 0x8b, reg, address);
}

static inline void jump_through(uint32_t address)
{
	absolute(0, 0xff, 4, address);
}

/* A relative operand; its target is known when the whole module is written. */
static inline void relative(uint64_t target, bool inside)
{
	*vector_add(&emitting->fixups, struct fixup) =
		(struct fixup){ (uint64_t)emitting->out, target, inside };
	word(0);
}

/* `opcode rcx, [operand]`: 0x8d lea, 0x8b mov. False if it cannot be reached. */
static inline void operand(unsigned opcode, const struct memory *a)
{
	unsigned rex = 0x48, base = a->base, index = a->index, scale = 0;

	if (a->byte_index) {
		bytes("\x0f\xb6\xc8", 3); /* movzbl %al, %ecx */
		index = RCX;
	}
	if (a->segment)
		byte(a->segment);
	if (a->narrow)
		byte(0x67);
	if (base != NO_REGISTER && base != RIP && base >= 8)
		rex |= 1;
	if (index != NO_REGISTER && index >= 8)
		rex |= 2;
	byte(rex);
	byte(opcode);
	if (base == RIP) {
		byte(0x05 | RCX << 3);
		word((uint64_t)a->disp - ((uint64_t)emitting->out + 4));
		return;
	}
	while (a->scale >> (scale + 1))
		scale++;
	if (base == NO_REGISTER) {
		byte(0x04 | RCX << 3);
		byte(scale << 6 | (index == NO_REGISTER ? 4 : index & 7u) << 3 | 5);
	} else {
		byte(0x84 | RCX << 3);
		byte(scale << 6 | (index == NO_REGISTER ? 4 : index & 7u) << 3 | (base & 7));
	}
	word((uint64_t)a->disp);
}

/* Flags to ax, rax to `instr`. */
static inline void save_flags(void)
{
	save(RAX, INSTR(instr.rax));
	bytes("\x9f\x0f\x90\xc0", 4); /* lahf; seto %al */
}

static inline void load_flags(void)
{
	bytes("\x04\x7f\x9e", 3); /* add $127, %al; sahf */
	load(RAX, INSTR(instr.rax));
}

/* emit_flow.c: how control goes on after an instruction, and how it gets into a copy. */
void emit_flow(const struct function *f, const struct insn *i);
void emit_enter(const struct function *f, const struct insn *first);

/* emit.c: the instruction itself, with its displacement from the instruction pointer adjusted. */
void emit_same(const struct insn *i);

#endif

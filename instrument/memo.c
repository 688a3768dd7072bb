/* SPDX-License-Identifier: MIT
 *
 * Instructions that were decoded before. Programs consist of few different instructions, apart from
 * the parts relative to the instruction pointer, and decoding takes many times as long as finding
 * one here. No encoding is the beginning of another, so the bytes of an instruction tell where it
 * ends. The table has no chains: a new instruction replaces the old one in its place.
 */
#include "decode.h"

#define PLACES 4096 /* a power of 2 */
#define BYTES  16

struct memo {
	uint64_t bytes[2], mask[2]; /* a mask: the bits that count */
	struct insn insn;
	struct frame_use use;
	uint8_t relative, size; /* offset and size of the operand that is a target; size 0: none */
};

static struct memo table[PLACES];

/* How many bytes to hash: about the length of the instruction without its relative part. It need
 * not be exact. */
static unsigned significant(const uint8_t *p)
{
	unsigned n = (p[0] & 0xf0) == 0x40, opcode, modrm;
	bool two = p[n] == 0x0f;

	n += two;
	opcode = p[n++];
	modrm = p[n++];
	if (two ? (opcode & 0xf0) == 0x80
		: (opcode & 0xf0) == 0x50 || (opcode & 0xf0) == 0x70 || opcode == 0xc3 ||
			    opcode == 0xe8 || opcode == 0xe9 || opcode == 0xeb)
		return n - 1;
	if (modrm >= 0xc0 || (modrm & 0xc7) == 5)
		return n;
	return n + 1 + ((modrm & 7) == 4);
}

static struct memo *place(const uint64_t *bytes)
{
	uint64_t key = low_bytes(bytes[0], significant((const uint8_t *)bytes));

	return &table[(key * 0x9e3779b97f4a7c15ULL) >> 52 & (PLACES - 1)];
}

static void read_bytes(uint64_t at, uint64_t *bytes)
{
	__builtin_memcpy(bytes, (const void *)at, BYTES);
}

static int64_t relative_operand(uint64_t at, unsigned size)
{
	int32_t wide;

	if (size == 1)
		return *(const int8_t *)at;
	__builtin_memcpy(&wide, (const void *)at, sizeof wide);
	return wide;
}

/* There may be no memory after the page of the instruction. */
static bool readable(uint64_t at, uint64_t hi)
{
	return hi - at >= BYTES || (at & (PAGE - 1)) <= PAGE - BYTES;
}

bool recall(uint64_t at, uint64_t hi, struct insn *i, struct frame_use *use)
{
	uint64_t bytes[2], next;
	const struct memo *m;

	if (!readable(at, hi))
		return false;
	read_bytes(at, bytes);
	m = place(bytes);
	if (!m->insn.length || m->insn.length > hi - at ||
	    ((bytes[0] ^ m->bytes[0]) & m->mask[0]) || ((bytes[1] ^ m->bytes[1]) & m->mask[1]))
		return false;
	*i = m->insn;
	*use = m->use;
	i->at = at;
	next = at + i->length;
	if (m->size)
		i->target = next + (uint64_t)relative_operand(at + m->relative, m->size);
	if (i->memory.base == RIP)
		i->memory.disp = (int64_t)next + relative_operand(at + i->disp_offset, 4);
	return true;
}

static void leave_out(struct memo *m, unsigned from, unsigned size)
{
	for (unsigned k = from; k < from + size; k++)
		m->mask[k / 8] &= ~(0xffULL << k % 8 * 8);
}

void remember(uint64_t hi, const struct insn *i, const struct frame_use *use, unsigned relative,
	      unsigned size)
{
	uint64_t bytes[2];
	struct memo *m;

	if (!readable(i->at, hi) || (i->memory.base == RIP && !i->disp_offset) ||
	    (i->target && size != 1 && size != 4))
		return;
	read_bytes(i->at, bytes);
	m = place(bytes);
	m->bytes[0] = bytes[0];
	m->bytes[1] = bytes[1];
	m->mask[0] = low_bytes(~0ULL, i->length);
	m->mask[1] = i->length > 8 ? low_bytes(~0ULL, i->length - 8u) : 0;
	m->insn = *i;
	m->use = *use;
	m->relative = (uint8_t)relative;
	m->size = (uint8_t)(i->target ? size : 0);
	if (m->size)
		leave_out(m, relative, size);
	if (i->disp_offset)
		leave_out(m, i->disp_offset, 4);
}

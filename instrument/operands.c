/* SPDX-License-Identifier: MIT
 *
 * Which memory an instruction accesses, and how: one kind of site for each.
 */
#include "decode.h"

/* As in struct lanes. */
static uint8_t vector_number(ZydisRegister r)
{
	switch (ZydisRegisterGetClass(r)) {
	case ZYDIS_REGCLASS_MASK:
		return (uint8_t)(LANES_MASK_REGISTER | (unsigned)ZydisRegisterGetId(r));
	case ZYDIS_REGCLASS_MMX:
		return (uint8_t)(LANES_MMX | (unsigned)ZydisRegisterGetId(r));
	default:
		return (uint8_t)ZydisRegisterGetId(r);
	}
}

static bool thread_local(const ZydisDecodedOperand *o)
{
	return o->mem.segment == ZYDIS_REGISTER_FS || o->mem.segment == ZYDIS_REGISTER_GS;
}

static bool string_instruction(struct insn *i, const ZydisDecodedInstruction *d,
			       const ZydisDecodedOperand *o)
{
	unsigned size = 0, kind;

	switch (d->mnemonic) {
#define STRING_SIZES(name, what)                                                                   \
	case ZYDIS_MNEMONIC_##name##B:                                                             \
		size = 1;                                                                          \
		kind = what;                                                                       \
		break;                                                                             \
	case ZYDIS_MNEMONIC_##name##W:                                                             \
		size = 2;                                                                          \
		kind = what;                                                                       \
		break;                                                                             \
	case ZYDIS_MNEMONIC_##name##Q:                                                             \
		size = 8;                                                                          \
		kind = what;                                                                       \
		break;
		STRING_SIZES(MOVS, STRING_MOVE)
		STRING_SIZES(STOS, STRING_STORE)
		STRING_SIZES(LODS, STRING_LOAD)
		STRING_SIZES(CMPS, STRING_COMPARE)
		STRING_SIZES(SCAS, STRING_SCAN)
	case ZYDIS_MNEMONIC_MOVSD:
	case ZYDIS_MNEMONIC_CMPSD:
		if (d->meta.category != ZYDIS_CATEGORY_STRINGOP)
			return false;
		size = 4;
		kind = d->mnemonic == ZYDIS_MNEMONIC_MOVSD ? STRING_MOVE : STRING_COMPARE;
		break;
	case ZYDIS_MNEMONIC_STOSD:
		size = 4;
		kind = STRING_STORE;
		break;
	case ZYDIS_MNEMONIC_LODSD:
		size = 4;
		kind = STRING_LOAD;
		break;
	case ZYDIS_MNEMONIC_SCASD:
		size = 4;
		kind = STRING_SCAN;
		break;
	default:
		return false;
	}
	i->access = SITE_STRING + 1;
	i->size = size;
	i->reg = (uint8_t)kind;
	if (d->attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE))
		i->repeat = 1;
	else if (d->attributes & ZYDIS_ATTRIB_HAS_REPNE)
		i->repeat = 2;
	i->use |= 1u << RSI | 1u << RDI | 1u << RCX | 1u << RAX;
	i->memory.narrow = d->address_width == 32;
	for (unsigned k = 0; k < d->operand_count; k++) {
		if (o[k].type != ZYDIS_OPERAND_TYPE_MEMORY)
			continue;
		if (o[k].mem.segment == ZYDIS_REGISTER_FS)
			i->fs = 1;
		else if (o[k].mem.segment == ZYDIS_REGISTER_GS)
			i->access = 0;
	}
	return true;
}

static bool no_access(const ZydisDecodedInstruction *d)
{
	switch (d->meta.category) {
	case ZYDIS_CATEGORY_NOP:
	case ZYDIS_CATEGORY_WIDENOP:
	case ZYDIS_CATEGORY_PREFETCH:
	case ZYDIS_CATEGORY_PREFETCHWT1:
	case ZYDIS_CATEGORY_CLDEMOTE:
		return true;
	default:
		break;
	}
	switch (d->mnemonic) {
	case ZYDIS_MNEMONIC_NOP:
	case ZYDIS_MNEMONIC_LEA:
	case ZYDIS_MNEMONIC_CLFLUSH:
	case ZYDIS_MNEMONIC_CLFLUSHOPT:
	case ZYDIS_MNEMONIC_CLWB:
	case ZYDIS_MNEMONIC_UD0:
	case ZYDIS_MNEMONIC_UD1:
	case ZYDIS_MNEMONIC_VGATHERPF0DPD:
	case ZYDIS_MNEMONIC_VGATHERPF0DPS:
	case ZYDIS_MNEMONIC_VGATHERPF0QPD:
	case ZYDIS_MNEMONIC_VGATHERPF0QPS:
	case ZYDIS_MNEMONIC_VGATHERPF1DPD:
	case ZYDIS_MNEMONIC_VGATHERPF1DPS:
	case ZYDIS_MNEMONIC_VGATHERPF1QPD:
	case ZYDIS_MNEMONIC_VGATHERPF1QPS:
	case ZYDIS_MNEMONIC_VSCATTERPF0DPD:
	case ZYDIS_MNEMONIC_VSCATTERPF0DPS:
	case ZYDIS_MNEMONIC_VSCATTERPF0QPD:
	case ZYDIS_MNEMONIC_VSCATTERPF0QPS:
	case ZYDIS_MNEMONIC_VSCATTERPF1DPD:
	case ZYDIS_MNEMONIC_VSCATTERPF1DPS:
	case ZYDIS_MNEMONIC_VSCATTERPF1QPD:
	case ZYDIS_MNEMONIC_VSCATTERPF1QPS:
		return true;
	default:
		return false;
	}
}

static bool is_fence(ZydisMnemonic m)
{
	return m == ZYDIS_MNEMONIC_MFENCE || m == ZYDIS_MNEMONIC_LFENCE ||
	       m == ZYDIS_MNEMONIC_SFENCE;
}

/* A bit test with an index register really addresses a place that depends on the index. */
static void bit_test(struct insn *i, const ZydisDecodedInstruction *d, const ZydisDecodedOperand *o)
{
	if ((d->mnemonic == ZYDIS_MNEMONIC_BT || d->mnemonic == ZYDIS_MNEMONIC_BTS ||
	     d->mnemonic == ZYDIS_MNEMONIC_BTR || d->mnemonic == ZYDIS_MNEMONIC_BTC) &&
	    o[1].type == ZYDIS_OPERAND_TYPE_REGISTER) {
		i->bits = (uint8_t)(o[1].size / 8);
		i->reg = (uint8_t)register_number(o[1].reg.value);
	}
}

static void effective_address(struct insn *i, const ZydisDecodedInstruction *d,
			      const ZydisDecodedOperand *o)
{
	struct memory *m = &i->memory;

	m->base = o->mem.base == ZYDIS_REGISTER_RIP || o->mem.base == ZYDIS_REGISTER_EIP
			  ? RIP
			  : (uint8_t)register_number(o->mem.base);
	m->index = (uint8_t)register_number(o->mem.index);
	m->scale = o->mem.scale;
	m->disp = o->mem.disp.has_displacement ? o->mem.disp.value : 0;
	m->narrow = d->address_width == 32;
	m->byte_index = d->mnemonic == ZYDIS_MNEMONIC_XLAT;
	if (m->base == RIP)
		m->disp += (int64_t)(i->at + i->length);
	/* pop computes its address with the new stack pointer. */
	if (d->mnemonic == ZYDIS_MNEMONIC_POP && m->base == RSP)
		m->disp += d->operand_width / 8;
}

/* Vector instructions that access the elements of memory selected by a mask. If the mask applies
 * to the result only, all elements are read, or none. */
static void masked(struct insn *i, const ZydisDecodedInstruction *d, const ZydisDecodedOperand *o,
		   unsigned k)
{
	struct lanes *l = &i->lanes;

	l->size = (uint8_t)(o[k].element_size / 8);
	switch (d->mnemonic) {
	case ZYDIS_MNEMONIC_MASKMOVQ:
	case ZYDIS_MNEMONIC_MASKMOVDQU:
	case ZYDIS_MNEMONIC_VMASKMOVDQU:
		l->size = 1;
		l->mask = vector_number(o[1].reg.value);
		break;
	case ZYDIS_MNEMONIC_VMASKMOVPS:
	case ZYDIS_MNEMONIC_VMASKMOVPD:
	case ZYDIS_MNEMONIC_VPMASKMOVD:
	case ZYDIS_MNEMONIC_VPMASKMOVQ:
		l->mask = vector_number(o[1].reg.value);
		break;
	default:
		if (d->avx.mask.reg <= ZYDIS_REGISTER_K0 || d->avx.mask.reg > ZYDIS_REGISTER_K7)
			return;
		l->mask = vector_number(d->avx.mask.reg);
		l->dense = d->meta.category == ZYDIS_CATEGORY_COMPRESS ||
			   d->meta.category == ZYDIS_CATEGORY_EXPAND;
		l->whole = i->access == SITE_READ + 1 && !l->dense &&
			   d->meta.category != ZYDIS_CATEGORY_DATAXFER;
	}
	if (l->whole)
		l->n = (uint8_t)o[0].element_count;
	else
		l->n = (uint8_t)(i->size / l->size);
	i->access = (i->access == SITE_WRITE + 1 ? SITE_MASKED_WRITE : SITE_MASKED_READ) + 1;
}

static bool wide_index(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_VGATHERQPS:
	case ZYDIS_MNEMONIC_VGATHERQPD:
	case ZYDIS_MNEMONIC_VPGATHERQD:
	case ZYDIS_MNEMONIC_VPGATHERQQ:
	case ZYDIS_MNEMONIC_VSCATTERQPS:
	case ZYDIS_MNEMONIC_VSCATTERQPD:
	case ZYDIS_MNEMONIC_VPSCATTERQD:
	case ZYDIS_MNEMONIC_VPSCATTERQQ:
		return true;
	default:
		return false;
	}
}

/* A gather or scatter. The address that the site computes is without the index. */
static void vector_indices(struct insn *i, const ZydisDecodedInstruction *d,
			   const ZydisDecodedOperand *o, unsigned k)
{
	struct lanes *l = &i->lanes;
	bool scatter = k == 0, own_mask = d->avx.mask.reg == ZYDIS_REGISTER_NONE;
	const ZydisDecodedOperand *data = &o[scatter ? 2 : 0];
	unsigned n, indices;

	effective_address(i, d, &o[k]);
	i->memory.index = NO_REGISTER;
	i->fs = o[k].mem.segment == ZYDIS_REGISTER_FS;
	if (o[k].mem.segment == ZYDIS_REGISTER_GS)
		return;
	i->size = o[k].size / 8;
	i->access = (scatter ? SITE_SCATTER : SITE_GATHER) + 1;
	l->size = (uint8_t)i->size;
	l->scale = o[k].mem.scale;
	l->index = vector_number(o[k].mem.index);
	l->index_size = wide_index(d->mnemonic) ? 8 : 4;
	l->data = vector_number(data->reg.value);
	l->mask = vector_number(own_mask ? o[2].reg.value : d->avx.mask.reg);
	n = data->size / 8 / l->size;
	indices = ZydisRegisterGetWidth(ZYDIS_MACHINE_MODE_LONG_64, o[k].mem.index) / 8 /
		  l->index_size;
	l->n = (uint8_t)(n < indices ? n : indices);
}

static bool is_state(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_XSAVE:
	case ZYDIS_MNEMONIC_XSAVE64:
	case ZYDIS_MNEMONIC_XSAVEC:
	case ZYDIS_MNEMONIC_XSAVEC64:
	case ZYDIS_MNEMONIC_XSAVEOPT:
	case ZYDIS_MNEMONIC_XSAVEOPT64:
	case ZYDIS_MNEMONIC_XSAVES:
	case ZYDIS_MNEMONIC_XSAVES64:
	case ZYDIS_MNEMONIC_XRSTOR:
	case ZYDIS_MNEMONIC_XRSTOR64:
	case ZYDIS_MNEMONIC_XRSTORS:
	case ZYDIS_MNEMONIC_XRSTORS64:
		return true;
	default:
		return false;
	}
}

static void compare_exchange(struct insn *i, const ZydisDecodedInstruction *d,
			     const ZydisDecodedOperand *o)
{
	if (d->mnemonic != ZYDIS_MNEMONIC_CMPXCHG) {
		i->access = SITE_CAS_PAIR + 1;
		return;
	}
	i->access = SITE_CAS + 1;
	i->reg = (uint8_t)register_number(o[1].reg.value);
	i->high = o[1].reg.value >= ZYDIS_REGISTER_AH && o[1].reg.value <= ZYDIS_REGISTER_BH;
}

static bool is_compare_exchange(ZydisMnemonic m)
{
	return m == ZYDIS_MNEMONIC_CMPXCHG || m == ZYDIS_MNEMONIC_CMPXCHG8B ||
	       m == ZYDIS_MNEMONIC_CMPXCHG16B;
}

/* Not variables: what is at a fixed place from the FS base upwards, such as the stack protector's
 * word. And nobody else's, if it is through GS. */
static bool libc_own(const struct insn *i)
{
	const struct memory *m = &i->memory;

	return m->segment == 0x65 ||
	       (m->base == NO_REGISTER && m->index == NO_REGISTER && m->disp >= 0);
}

static const char *memory_operand(struct insn *i, const ZydisDecodedInstruction *d,
				  const ZydisDecodedOperand *o, unsigned k)
{
	bool reads = o[k].actions & ZYDIS_OPERAND_ACTION_MASK_READ,
	     writes = o[k].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE;
	bool atomic = d->attributes & ZYDIS_ATTRIB_HAS_LOCK || d->mnemonic == ZYDIS_MNEMONIC_XCHG;

	effective_address(i, d, &o[k]);
	if (thread_local(&o[k])) {
		i->fs = 1;
		i->memory.segment = o[k].mem.segment == ZYDIS_REGISTER_FS ? 0x64 : 0x65;
		if (libc_own(i))
			return NULL;
	}
	i->size = o[k].size / 8;
	if (!i->size)
		return "an access of unknown size";
	if (is_compare_exchange(d->mnemonic) && atomic)
		compare_exchange(i, d, o);
	else if (reads && writes)
		i->access = (atomic ? SITE_RMW : SITE_READ_WRITE) + 1;
	else
		i->access = (writes ? SITE_WRITE : SITE_READ) + 1;
	bit_test(i, d, o);
	if (is_state(d->mnemonic))
		i->access = (writes ? SITE_STATE_WRITE : SITE_STATE_READ) + 1;
	masked(i, d, o, k);
	return NULL;
}

static bool number_instruction(struct insn *i, const ZydisDecodedInstruction *d, const ZydisDecodedOperand *o)
{
	switch (d->mnemonic) {
	case ZYDIS_MNEMONIC_RDTSC:
	case ZYDIS_MNEMONIC_RDTSCP:
		i->number = NUMBER_TIME;
		i->reg = d->mnemonic == ZYDIS_MNEMONIC_RDTSCP ? RCX : RAX;
		break;
	case ZYDIS_MNEMONIC_RDRAND:
	case ZYDIS_MNEMONIC_RDSEED:
	case ZYDIS_MNEMONIC_RDPID:
		i->number = d->mnemonic == ZYDIS_MNEMONIC_RDPID ? NUMBER_PROCESSOR : NUMBER_RANDOM;
		i->reg = (uint8_t)register_number(o[0].reg.value);
		i->size = o[0].size / 8;
		break;
	default:
		return false;
	}
	i->access = SITE_NUMBER + 1;
	return true;
}

const char *accesses(struct insn *i, const ZydisDecodedInstruction *d, const ZydisDecodedOperand *o)
{
	const char *why = NULL;

	if (is_fence(d->mnemonic))
		i->access = SITE_FENCE + 1;
	if (is_fence(d->mnemonic) || string_instruction(i, d, o) || number_instruction(i, d, o) || no_access(d))
		return NULL;
	if (d->mnemonic == ZYDIS_MNEMONIC_SYSCALL) {
		i->access = SITE_SYSCALL + 1;
		i->use |= 1u << RAX | 1u << RDI | 1u << RSI | 1u << RDX | 1u << 10 | 1u << 8 |
			  1u << 9;
		return NULL;
	}
	if (d->mnemonic == ZYDIS_MNEMONIC_CLZERO) {
		i->memory.base = RAX;
		i->memory.narrow = d->address_width == 32;
		i->size = 64;
		i->access = SITE_LINE + 1;
		return NULL;
	}
	for (unsigned k = 0; k < d->operand_count && !why; k++) {
		if (o[k].type != ZYDIS_OPERAND_TYPE_MEMORY ||
		    o[k].mem.type == ZYDIS_MEMOP_TYPE_AGEN || o[k].mem.type == ZYDIS_MEMOP_TYPE_MIB)
			continue;
		/* The stack accesses of push, call, leave and others. */
		if (o[k].visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN &&
		    (o[k].mem.base == ZYDIS_REGISTER_RSP || o[k].mem.base == ZYDIS_REGISTER_RBP))
			continue;
		if (o[k].mem.type == ZYDIS_MEMOP_TYPE_VSIB) {
			vector_indices(i, d, o, k);
		} else if (d->mnemonic == ZYDIS_MNEMONIC_MOVDIR64B && i->access) {
			i->access = SITE_DIRECT + 1;
			i->reg = (uint8_t)register_number(o[0].reg.value);
		} else if (i->access) {
			why = "an instruction with two memory operands";
		} else {
			why = memory_operand(i, d, o, k);
		}
	}
	return why;
}

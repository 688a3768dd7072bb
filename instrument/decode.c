/* SPDX-License-Identifier: MIT
 *
 * Decodes an instruction into what the copy needs of it: how control goes on, which memory it
 * accesses, which registers and flags it reads and writes.
 */
#include "decode.h"

static ZydisDecoder decoder;
static bool ready;

/* For each register what Zydis says of it. Asking Zydis each time takes as long as decoding. */
static struct {
	uint8_t number;
	bool vector;
} known[ZYDIS_REGISTER_MAX_VALUE + 1];

static bool find_vector(ZydisRegister r)
{
	switch (ZydisRegisterGetClass(r)) {
	case ZYDIS_REGCLASS_X87:
	case ZYDIS_REGCLASS_MMX:
	case ZYDIS_REGCLASS_XMM:
	case ZYDIS_REGCLASS_YMM:
	case ZYDIS_REGCLASS_ZMM:
	case ZYDIS_REGCLASS_MASK:
		return true;
	default:
		return false;
	}
}

static void prepare(void)
{
	for (unsigned k = 0; k <= ZYDIS_REGISTER_MAX_VALUE; k++) {
		ZydisRegister r = (ZydisRegister)k, wide;

		wide = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, r);
		known[k].number = NO_REGISTER;
		if (wide >= ZYDIS_REGISTER_RAX && wide <= ZYDIS_REGISTER_R15)
			known[k].number = (uint8_t)(wide - ZYDIS_REGISTER_RAX);
		known[k].vector = find_vector(r);
	}
	ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
	ready = true;
}

unsigned register_number(ZydisRegister r)
{
	return known[r].number;
}

static uint32_t flag_bits(ZyanU32 f)
{
	uint32_t bits = 0;

	bits |= f & ZYDIS_CPUFLAG_CF ? 1u << 16 : 0;
	bits |= f & ZYDIS_CPUFLAG_PF ? 1u << 17 : 0;
	bits |= f & ZYDIS_CPUFLAG_AF ? 1u << 18 : 0;
	bits |= f & ZYDIS_CPUFLAG_ZF ? 1u << 19 : 0;
	bits |= f & ZYDIS_CPUFLAG_SF ? 1u << 20 : 0;
	bits |= f & ZYDIS_CPUFLAG_OF ? 1u << 21 : 0;
	return bits;
}

static bool is_shift(ZydisMnemonic m)
{
	switch (m) {
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_ROL:
	case ZYDIS_MNEMONIC_ROR:
	case ZYDIS_MNEMONIC_RCL:
	case ZYDIS_MNEMONIC_RCR:
	case ZYDIS_MNEMONIC_SHLD:
	case ZYDIS_MNEMONIC_SHRD:
		return true;
	default:
		return false;
	}
}

static void flags(struct insn *i, const ZydisDecodedInstruction *d, bool sure)
{
	if (d->meta.category == ZYDIS_CATEGORY_INTERRUPT) {
		/* The kernel or a handler looks at all of them, and changes few or none. */
		i->use |= 0xffff | LIVE_FLAGS;
		return;
	}
	if (d->meta.category == ZYDIS_CATEGORY_SYSCALL) {
		i->use |= LIVE_FLAGS; /* they go to r11, and come back */
		return;
	}
	if (!d->cpu_flags)
		return;
	i->use |= flag_bits(d->cpu_flags->tested);
	if (!sure)
		return;
	/* What the manual calls undefined mostly stays unchanged. */
	i->def |= flag_bits(d->cpu_flags->modified | d->cpu_flags->set_0 | d->cpu_flags->set_1);
	switch (d->mnemonic) {
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_OR:
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_TEST: /* all processors clear AF */
		i->def |= LIVE_FLAGS;
		break;
	case ZYDIS_MNEMONIC_FCOMI: /* not all processors clear the others */
	case ZYDIS_MNEMONIC_FCOMIP:
	case ZYDIS_MNEMONIC_FUCOMI:
	case ZYDIS_MNEMONIC_FUCOMIP:
		i->def &= ~LIVE_FLAGS |
			  flag_bits(ZYDIS_CPUFLAG_CF | ZYDIS_CPUFLAG_PF | ZYDIS_CPUFLAG_ZF);
		break;
	default:
		break;
	}
}

static void registers(struct insn *i, const ZydisDecodedInstruction *d,
		      const ZydisDecodedOperand *o)
{
	bool sure = !is_shift(d->mnemonic) && d->mnemonic != ZYDIS_MNEMONIC_BSF &&
		    d->mnemonic != ZYDIS_MNEMONIC_BSR &&
		    !(d->attributes &
		      (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE));

	for (unsigned k = 0; k < d->operand_count; k++) {
		unsigned n;

		if (o[k].type == ZYDIS_OPERAND_TYPE_MEMORY) {
			n = register_number(o[k].mem.base);
			i->use |= n < 16 ? 1u << n : 0;
			n = register_number(o[k].mem.index);
			i->use |= n < 16 ? 1u << n : 0;
			if (known[o[k].mem.index].vector)
				i->use |= LIVE_VECTORS;
			continue;
		}
		if (o[k].type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		n = register_number(o[k].reg.value);
		if (known[o[k].reg.value].vector && o[k].actions & ZYDIS_OPERAND_ACTION_MASK_READ)
			i->use |= LIVE_VECTORS;
		if (n >= 16)
			continue;
		if (o[k].actions & ZYDIS_OPERAND_ACTION_MASK_READ)
			i->use |= 1u << n;
		if (o[k].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) {
			if (o[k].size >= 32 && (o[k].actions & ZYDIS_OPERAND_ACTION_WRITE) && sure)
				i->def |= 1u << n;
			else
				i->use |= 1u << n;
		}
	}
	flags(i, d, sure);
	/* The usual way to make a zero does not read. */
	if ((d->mnemonic == ZYDIS_MNEMONIC_XOR || d->mnemonic == ZYDIS_MNEMONIC_SUB) &&
	    o[0].type == ZYDIS_OPERAND_TYPE_REGISTER && o[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
	    o[0].reg.value == o[1].reg.value && o[0].size >= 32)
		i->use &= ~(1u << (register_number(o[0].reg.value) & 15));
	if ((d->mnemonic == ZYDIS_MNEMONIC_PXOR || d->mnemonic == ZYDIS_MNEMONIC_XORPS) &&
	    o[1].type == ZYDIS_OPERAND_TYPE_REGISTER && o[0].reg.value == o[1].reg.value)
		i->use &= ~LIVE_VECTORS;
}

static const char *flow(struct insn *i, const ZydisDecodedInstruction *d,
			const ZydisDecodedOperand *o)
{
	bool direct = o[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE && o[0].imm.is_relative;

	i->flow = FLOW_NEXT;
	i->indirect_reg = NO_REGISTER;
	if (d->mnemonic == ZYDIS_MNEMONIC_XBEGIN || d->mnemonic == ZYDIS_MNEMONIC_XEND ||
	    d->mnemonic == ZYDIS_MNEMONIC_XABORT)
		return "a hardware transaction";
	switch (d->meta.category) {
	case ZYDIS_CATEGORY_CALL:
	case ZYDIS_CATEGORY_UNCOND_BR:
		if (d->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR)
			return "a far jump or call";
		if (direct)
			i->flow = d->meta.category == ZYDIS_CATEGORY_CALL ? FLOW_CALL : FLOW_JUMP;
		else
			i->flow = d->meta.category == ZYDIS_CATEGORY_CALL ? FLOW_CALL_INDIRECT
									  : FLOW_JUMP_INDIRECT;
		if (!direct && o[0].type == ZYDIS_OPERAND_TYPE_REGISTER)
			i->indirect_reg = (uint8_t)register_number(o[0].reg.value);
		break;
	case ZYDIS_CATEGORY_COND_BR:
		i->flow = d->raw.imm[0].size == 8 && (d->opcode & 0xf0) == 0xe0 ? FLOW_SHORT
										: FLOW_BRANCH;
		break;
	case ZYDIS_CATEGORY_RET:
		if (d->mnemonic != ZYDIS_MNEMONIC_RET)
			return "a far or interrupt return";
		if (d->operand_width == 16)
			return "a 16-bit return";
		i->flow = FLOW_RETURN;
		break;
	default:
		break;
	}
	if (d->mnemonic == ZYDIS_MNEMONIC_HLT || d->mnemonic == ZYDIS_MNEMONIC_UD2 ||
	    d->mnemonic == ZYDIS_MNEMONIC_UD1 || d->mnemonic == ZYDIS_MNEMONIC_UD0)
		i->flow = FLOW_STOP;
	if (i->flow == FLOW_JUMP || i->flow == FLOW_BRANCH || i->flow == FLOW_SHORT ||
	    i->flow == FLOW_CALL) {
		if (d->operand_width == 16 && d->mnemonic != ZYDIS_MNEMONIC_CALL)
			return "a 16-bit jump";
		i->target = i->at + i->length + (uint64_t)o[0].imm.value.s;
	}
	return NULL;
}

static void frame_use(struct frame_use *u, const ZydisDecodedInstruction *d,
		      const ZydisDecodedOperand *o)
{
	ZydisRegister to =
		o[0].type == ZYDIS_OPERAND_TYPE_REGISTER ? o[0].reg.value : ZYDIS_REGISTER_NONE;

	for (unsigned k = 0; k < d->operand_count_visible; k++) {
		bool sp = o[k].type == ZYDIS_OPERAND_TYPE_REGISTER &&
			  register_number(o[k].reg.value) == RSP;
		bool agen = o[k].type == ZYDIS_OPERAND_TYPE_MEMORY &&
			    o[k].mem.type == ZYDIS_MEMOP_TYPE_AGEN;

		if (sp && k > 0 && to == ZYDIS_REGISTER_RBP && d->mnemonic == ZYDIS_MNEMONIC_MOV)
			u->frame_pointer = true;
		else if (sp && k > 0)
			u->escapes = true;
		if (agen && o[k].mem.base == ZYDIS_REGISTER_RSP && to == ZYDIS_REGISTER_RBP)
			u->frame_pointer = true;
		else if (agen &&
			 (o[k].mem.base == ZYDIS_REGISTER_RSP ||
			  o[k].mem.base == ZYDIS_REGISTER_RBP) &&
			 to != ZYDIS_REGISTER_RSP)
			u->escapes = true;
		if (o[k].type == ZYDIS_OPERAND_TYPE_REGISTER &&
		    register_number(o[k].reg.value) == RBP) {
			if (o[k].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) {
				if (d->mnemonic != ZYDIS_MNEMONIC_POP &&
				    !(o[1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
				      register_number(o[1].reg.value) == RSP) &&
				    !(d->mnemonic == ZYDIS_MNEMONIC_LEA &&
				      o[1].mem.base == ZYDIS_REGISTER_RSP))
					u->other_rbp = true;
			} else if (d->mnemonic != ZYDIS_MNEMONIC_PUSH && to != ZYDIS_REGISTER_RSP) {
				u->escapes = true;
			}
		}
	}
}

void forget_frame_accesses(struct vector *insns, const struct frame_use *u)
{
	bool rbp = u->frame_pointer && !u->other_rbp;

	if (u->escapes)
		return;
	for (size_t k = 0; k < insns->n; k++) {
		struct insn *i = vector_at(insns, struct insn, k);

		if (i->access && i->access <= SITE_SCATTER + 1 &&
		    (i->memory.base == RSP || (rbp && i->memory.base == RBP)))
			i->access = 0;
	}
}

const char *decode_operands(uint64_t at, const void *bytes, size_t size, struct insn *i,
			    ZydisDecodedInstruction *d, ZydisDecodedOperand *o)
{
	const char *why;

	if (!ready)
		prepare();
	if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, d, o)))
		return "an instruction that cannot be decoded";
	*i = (struct insn){ .at = at, .length = d->length };
	i->privileged = (d->attributes & ZYDIS_ATTRIB_IS_PRIVILEGED) != 0;
	i->memory.base = i->memory.index = i->reg = NO_REGISTER;
	if (d->attributes & ZYDIS_ATTRIB_HAS_MODRM)
		i->modrm_offset = d->raw.modrm.offset;
	if (d->attributes & ZYDIS_ATTRIB_IS_RELATIVE && d->raw.disp.size == 32 &&
	    d->raw.modrm.mod == 0 && d->raw.modrm.rm == 5 &&
	    (d->attributes & ZYDIS_ATTRIB_HAS_MODRM))
		i->disp_offset = d->raw.disp.offset;
	registers(i, d, o);
	why = accesses(i, d, o);
	return why ? why : flow(i, d, o);
}

/* NULL, or why the function cannot be copied. */
static const char *decode_instruction(uint64_t at, uint64_t hi, struct insn *i,
				      struct frame_use *use)
{
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction d;
	const char *why = decode_operands(at, (const void *)at, hi - at, i, &d, o);

	if (why)
		return why;
	*use = (struct frame_use){ 0 };
	frame_use(use, &d, o);
	remember(hi, i, use, d.raw.imm[0].offset, d.raw.imm[0].size / 8);
	return NULL;
}

const char *decode_at(uint64_t at, uint64_t hi, struct insn *i, struct frame_use *use)
{
	if (!ready)
		prepare();
	return recall(at, hi, i, use) ? NULL : decode_instruction(at, hi, i, use);
}

/* SPDX-License-Identifier: MIT
 *
 * What an instruction does to registers, to the stack pointer and to memory, for the analysis of the
 * frame.
 */
#include "frame.h"

static void find_effect(struct step *s, const ZydisDecodedInstruction *d,
			const ZydisDecodedOperand *o)
{
	bool to_register = o[0].type == ZYDIS_OPERAND_TYPE_REGISTER,
	     from_register = o[1].type == ZYDIS_OPERAND_TYPE_REGISTER,
	     from_memory = o[1].type == ZYDIS_OPERAND_TYPE_MEMORY;
	unsigned to = to_register ? register_number(o[0].reg.value) : NO_REGISTER,
		 from = from_register ? register_number(o[1].reg.value) : NO_REGISTER;

	s->to = s->from = NO_REGISTER;
	switch (d->mnemonic) {
	case ZYDIS_MNEMONIC_MOV:
		if (to < 16 && from < 16 && o[0].size == 64)
			s->effect = EFFECT_MOVE;
		else if (from < 16 && o[0].type == ZYDIS_OPERAND_TYPE_MEMORY && o[0].size == 64)
			s->effect = EFFECT_STORE;
		/* fall through */
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
		if (to < 16 && from_memory && o[0].size >= 32)
			s->effect = EFFECT_LOAD;
		break;
	case ZYDIS_MNEMONIC_LEA:
		if (o[0].size == 64 && d->address_width == 64 &&
		    o[1].mem.index == ZYDIS_REGISTER_NONE && register_number(o[1].mem.base) < 16) {
			s->effect = EFFECT_LEA;
			from = register_number(o[1].mem.base);
			s->value = (int32_t)o[1].mem.disp.value;
		} else {
			s->value_use |= s->use & 0xffff;
		}
		break;
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
		if (to < 16 && o[0].size == 64 && o[1].type == ZYDIS_OPERAND_TYPE_IMMEDIATE) {
			s->effect = EFFECT_LEA;
			from = to;
			s->value = (int32_t)o[1].imm.value.s;
			if (d->mnemonic == ZYDIS_MNEMONIC_SUB)
				s->value = -s->value;
		}
		break;
	case ZYDIS_MNEMONIC_PUSH:
		s->effect = EFFECT_PUSH;
		from = to;
		to = NO_REGISTER;
		break;
	case ZYDIS_MNEMONIC_POP:
		s->effect = EFFECT_POP;
		break;
	case ZYDIS_MNEMONIC_LEAVE:
		s->effect = EFFECT_LEAVE;
		break;
	default:
		break;
	}
	if (s->effect) {
		s->to = (uint8_t)to;
		s->from = (uint8_t)from;
	}
}

static uint32_t register_bit(ZydisRegister r)
{
	unsigned n = register_number(r);

	return n < 16 ? 1u << n : 0;
}

/* What is not understood well enough. */
static bool odd(const ZydisDecodedInstruction *d, const ZydisDecodedOperand *o)
{
	switch (d->mnemonic) {
	case ZYDIS_MNEMONIC_PUSH:
		return d->operand_width != 64;
	case ZYDIS_MNEMONIC_POP:
		return d->operand_width != 64 || o[0].type != ZYDIS_OPERAND_TYPE_REGISTER ||
		       register_number(o[0].reg.value) >= 16;
	case ZYDIS_MNEMONIC_LEAVE:
		return d->operand_width != 64;
	case ZYDIS_MNEMONIC_STD:
	case ZYDIS_MNEMONIC_ENTER:
	case ZYDIS_MNEMONIC_PUSHF:
	case ZYDIS_MNEMONIC_PUSHFD:
	case ZYDIS_MNEMONIC_PUSHFQ:
	case ZYDIS_MNEMONIC_POPF:
	case ZYDIS_MNEMONIC_POPFD:
	case ZYDIS_MNEMONIC_POPFQ:
		return true;
	default:
		return (d->meta.category == ZYDIS_CATEGORY_INTERRUPT &&
			d->mnemonic != ZYDIS_MNEMONIC_INT3) ||
		       d->meta.category == ZYDIS_CATEGORY_SYSRET ||
		       (d->meta.category == ZYDIS_CATEGORY_SYSCALL &&
			d->mnemonic != ZYDIS_MNEMONIC_SYSCALL);
	}
}

static void find_registers(struct step *s, const ZydisDecodedInstruction *d,
			   const ZydisDecodedOperand *o)
{
	for (unsigned k = 0; k < d->operand_count; k++) {
		unsigned n;

		if (o[k].type != ZYDIS_OPERAND_TYPE_REGISTER)
			continue;
		n = register_number(o[k].reg.value);
		if (n >= 16) {
			s->vector_def |= (o[k].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) &&
					 o[k].visibility != ZYDIS_OPERAND_VISIBILITY_HIDDEN;
			continue;
		}
		if (n == RSP && o[k].visibility == ZYDIS_OPERAND_VISIBILITY_HIDDEN)
			continue;
		if (o[k].actions & ZYDIS_OPERAND_ACTION_MASK_READ)
			s->value_use |= 1u << n;
		if (o[k].actions & ZYDIS_OPERAND_ACTION_MASK_WRITE)
			s->written |= 1u << n;
	}
	s->value_use &= s->use;
}

/* Does it only compute something from registers, flags and memory? A division may fail. */
static bool computes(const ZydisDecodedInstruction *d)
{
	switch (d->mnemonic) {
	case ZYDIS_MNEMONIC_ADD:
	case ZYDIS_MNEMONIC_SUB:
	case ZYDIS_MNEMONIC_ADC:
	case ZYDIS_MNEMONIC_SBB:
	case ZYDIS_MNEMONIC_INC:
	case ZYDIS_MNEMONIC_DEC:
	case ZYDIS_MNEMONIC_NEG:
	case ZYDIS_MNEMONIC_NOT:
	case ZYDIS_MNEMONIC_AND:
	case ZYDIS_MNEMONIC_OR:
	case ZYDIS_MNEMONIC_XOR:
	case ZYDIS_MNEMONIC_CMP:
	case ZYDIS_MNEMONIC_TEST:
	case ZYDIS_MNEMONIC_SHL:
	case ZYDIS_MNEMONIC_SHR:
	case ZYDIS_MNEMONIC_SAR:
	case ZYDIS_MNEMONIC_ROL:
	case ZYDIS_MNEMONIC_ROR:
	case ZYDIS_MNEMONIC_MUL:
	case ZYDIS_MNEMONIC_IMUL:
	case ZYDIS_MNEMONIC_MOV:
	case ZYDIS_MNEMONIC_MOVZX:
	case ZYDIS_MNEMONIC_MOVSX:
	case ZYDIS_MNEMONIC_MOVSXD:
	case ZYDIS_MNEMONIC_LEA:
	case ZYDIS_MNEMONIC_CDQ:
	case ZYDIS_MNEMONIC_CDQE:
	case ZYDIS_MNEMONIC_CQO:
	case ZYDIS_MNEMONIC_CWDE:
		return !(d->attributes & ZYDIS_ATTRIB_HAS_LOCK);
	default:
		return d->meta.category == ZYDIS_CATEGORY_SETCC ||
		       d->meta.category == ZYDIS_CATEGORY_CMOV;
	}
}

static void find_computation(struct step *s, const ZydisDecodedInstruction *d,
			     const ZydisDecodedOperand *o)
{
	s->computes = computes(d);
	if (d->cpu_flags && (d->cpu_flags->modified | d->cpu_flags->set_0 | d->cpu_flags->set_1 |
			     d->cpu_flags->undefined))
		s->flags = LIVE_FLAGS;
	for (unsigned k = 0; k < d->operand_count; k++) {
		if (o[k].type == ZYDIS_OPERAND_TYPE_REGISTER && register_number(o[k].reg.value) >= 16)
			s->computes &= o[k].reg.value == ZYDIS_REGISTER_RFLAGS;
		if (o[k].type != ZYDIS_OPERAND_TYPE_MEMORY || d->mnemonic == ZYDIS_MNEMONIC_LEA)
			continue;
		s->addresses |= register_bit(o[k].mem.base) | register_bit(o[k].mem.index);
	}
}

static void find_memory(struct step *s, const struct insn *i)
{
	unsigned kind = i->access - 1u;

	s->memory = i->memory;
	s->size = i->size;
	if (!i->access || i->fs || kind == SITE_FENCE || kind == SITE_NUMBER)
		return;
	if (kind == SITE_SYSCALL) {
		s->system = 1;
		s->written |= 1u << RAX;
		return;
	}
	s->vague = kind == SITE_STRING || kind == SITE_GATHER || kind == SITE_SCATTER ||
		   kind == SITE_DIRECT || i->bits || i->memory.byte_index || i->memory.narrow;
	s->reads = kind != SITE_WRITE && kind != SITE_MASKED_WRITE && kind != SITE_LINE;
	s->writes = kind != SITE_READ && kind != SITE_MASKED_READ && kind != SITE_STATE_READ;
	s->sure = kind == SITE_WRITE || kind == SITE_READ_WRITE || kind == SITE_RMW;
}

bool frame_step(const struct module *m, uint64_t at, uint64_t hi, struct step *s)
{
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction d;
	struct insn i;

	if (decode_operands(at, original_bytes(m, at), hi - at, &i, &d, o) || odd(&d, o))
		return false;
	*s = (struct step){ .at = at,
			    .target = i.target,
			    .use = i.use,
			    .def = i.def,
			    .length = i.length,
			    .flow = d.mnemonic == ZYDIS_MNEMONIC_INT3 ? FLOW_STOP : i.flow,
			    .site = i.access != 0,
			    .target_index = -1,
			    .pad_index = -1 };
	s->padding =
		d.meta.category == ZYDIS_CATEGORY_NOP || d.meta.category == ZYDIS_CATEGORY_WIDENOP;
	find_registers(s, &d, o);
	find_effect(s, &d, o);
	find_memory(s, &i);
	find_computation(s, &d, o);
	return true;
}

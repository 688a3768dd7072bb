/* SPDX-License-Identifier: MIT
 *
 * Decodes a function for the analysis of its frame: what each instruction does to registers, to the
 * stack pointer and to memory. Parts of it that the compiler has put elsewhere (cold code, which
 * jumps back) belong to it.
 */
#include "frame.h"

#define MAX_PARTS 8

struct part {
	uint64_t lo, hi;
	uint32_t first, n; /* steps */
	bool foreign;      /* may be entered in another way as well */
};

static bool starts(const char *s, const char *with)
{
	while (*with && *s == *with)
		s++, with++;
	return !*with;
}

static bool one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (equal(name, *list))
			return true;
	return false;
}

static bool contains(const char *s, const char *word)
{
	for (; *s; s++)
		if (starts(s, word))
			return true;
	return false;
}

/* After one of these, what was in a register at the first return may be there at the second. */
static bool returns_twice(const char *name)
{
	static const char *const list[] = { "vfork", "getcontext", "savectx", NULL };

	return contains(name, "setjmp") || one_of(name, list);
}

static bool plain_hook(const char *name)
{
	static const char *const list[] = {
		"__tsan_read",      "__tsan_write",  "__tsan_unaligned_",
		"__tsan_volatile_", "__tsan_vptr_",  "__tsan_func_",
		"__tsan_init",      "__tsan_atomic", NULL
	};

	for (const char *const *p = list; *p; p++)
		if (starts(name, *p))
			return true;
	return false;
}

static unsigned kind_of_call(const char *name)
{
	static const char *const no_return[] = { "exit",
						 "_exit",
						 "__assert_fail",
						 "__assert",
						 "__assert_perror_fail",
						 "pthread_exit",
						 "longjmp",
						 "_longjmp",
						 "siglongjmp",
						 "__longjmp_chk",
						 "_Unwind_Resume",
						 "__cxa_throw",
						 "__cxa_rethrow",
						 "__cxa_throw_bad_array_new_length",
						 "__clang_call_terminate",
						 "_ZSt9terminatev",
						 "quick_exit",
						 "_Exit",
						 "thrd_exit",
						 NULL };

	if (!name)
		return CALL_OTHER;
	if (one_of(name, no_return))
		return CALL_NO_RETURN;
	if (contains(name, "compare_exchange_strong") || contains(name, "compare_exchange_weak"))
		return starts(name, "__tsan_atomic") ? CALL_HOOK_CAS : CALL_OTHER;
	return plain_hook(name) ? CALL_HOOK : CALL_OTHER;
}

/* In bytes, of the type in the name of the hook. */
static unsigned cas_size(const char *name)
{
	unsigned bits = 0;

	for (name += length("__tsan_atomic"); *name >= '0' && *name <= '9'; name++)
		bits = bits * 10 + (unsigned)(*name - '0');
	return bits / 8;
}

static bool in_plt(const struct module *m, uint64_t at)
{
	for (unsigned k = 0; k < m->nplt; k++)
		if (at >= m->plt[k].lo && at < m->plt[k].hi)
			return true;
	return false;
}

/* Whom a call or a jump out of the function leads to: s->call. False if it may return twice. */
static bool classify(const struct frame_function *f, struct step *s)
{
	struct module *m = (struct module *)(uintptr_t)f->module;
	const struct function *to;
	static const char *const dead_ends[] = { "__stack_chk_fail", "abort", "__chk_fail",
						 "__fortify_fail", NULL };
	const char *name = NULL;

	s->call = CALL_OTHER;
	if (s->flow == FLOW_CALL_INDIRECT || s->flow == FLOW_JUMP_INDIRECT) {
		if (s->memory.base == RIP && s->memory.index == NO_REGISTER)
			name = import_of_slot(m, (uint64_t)s->memory.disp);
		else if (s->flow == FLOW_JUMP_INDIRECT)
			s->call = 0;
	} else if (in_plt(m, s->target)) {
		name = import_at(m, s->target);
	} else if (s->target >= m->lo && s->target < m->hi) {
		s->call = CALL_LOCAL;
		to = module_function(m, s->target);
		return !to || !to->name || !returns_twice(to->name);
	}
	if (s->call && name && one_of(name, dead_ends)) {
		s->flow = FLOW_STOP;
		s->call = 0;
		return true;
	}
	if (s->call && name) {
		s->call = (uint8_t)kind_of_call(name);
		if (s->call == CALL_HOOK_CAS)
			s->size = cas_size(name);
		return !returns_twice(name);
	}
	return true;
}

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

static void find_memory(struct step *s, const struct insn *i)
{
	unsigned kind = i->access - 1u;

	s->memory = i->memory;
	s->size = i->size;
	if (!i->access || i->fs || kind == SITE_FENCE)
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

static bool decode_step(struct frame_function *f, uint64_t at, uint64_t hi, struct step *s)
{
	ZydisDecodedOperand o[ZYDIS_MAX_OPERAND_COUNT];
	ZydisDecodedInstruction d;
	struct insn i;

	if (decode_operands(at, original_bytes(f->module, at), hi - at, &i, &d, o) || odd(&d, o))
		return false;
	*s = (struct step){ .at = at,
			    .target = i.target,
			    .use = i.use,
			    .def = i.def,
			    .length = i.length,
			    .flow = d.mnemonic == ZYDIS_MNEMONIC_INT3 ? FLOW_STOP : i.flow,
			    .site = i.access != 0,
			    .target_index = -1 };
	find_registers(s, &d, o);
	find_effect(s, &d, o);
	find_memory(s, &i);
	return true;
}

/* Decodes [lo, hi) behind the steps that there are. */
static bool decode_part(struct frame_function *f, struct part *p)
{
	p->first = f->n;
	for (uint64_t at = p->lo; at < p->hi;) {
		if (f->n == MAX_STEPS || !decode_step(f, at, p->hi, &f->steps[f->n]))
			return false;
		f->steps[f->n].foreign = p->foreign;
		at += f->steps[f->n++].length;
	}
	p->n = f->n - p->first;
	if (p->n)
		f->steps[f->n - 1].last = 1;
	return p->n > 0;
}

static const struct part *part_of(const struct part *parts, unsigned n, uint64_t at)
{
	for (unsigned k = 0; k < n; k++)
		if (at >= parts[k].lo && at < parts[k].hi)
			return &parts[k];
	return NULL;
}

static int32_t index_in(const struct frame_function *f, const struct part *p, uint64_t at)
{
	uint32_t lo = p->first, hi = p->first + p->n;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (f->steps[mid].at < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->first + p->n && f->steps[lo].at == at ? (int32_t)lo : -1;
}

static bool jumps(const struct step *s)
{
	return s->flow == FLOW_JUMP || s->flow == FLOW_BRANCH || s->flow == FLOW_SHORT;
}

static bool jumps_back(const struct frame_function *f, const struct part *from,
		       const struct part *parts, unsigned n)
{
	for (uint32_t k = from->first; k < from->first + from->n; k++) {
		const struct step *s = &f->steps[k];
		const struct part *p = jumps(s) ? part_of(parts, n, s->target) : NULL;

		if (p && s->target != p->lo)
			return true;
	}
	return false;
}

/* Adds what the steps of parts[k] jump to, if it is a piece of this function. */
static bool add_parts(struct frame_function *f, struct part *parts, unsigned *n, unsigned k)
{
	struct module *m = (struct module *)(uintptr_t)f->module;

	for (uint32_t i = parts[k].first; i < parts[k].first + parts[k].n; i++) {
		uint64_t target = f->steps[i].target;
		const struct function *to;
		struct part *p = &parts[*n];
		bool piece;

		if (!jumps(&f->steps[i]) || part_of(parts, *n, target) || in_plt(m, target))
			continue;
		to = module_function(m, target);
		if (!to || to->second)
			return false;
		piece = to->fragment || target != to->lo;
		if (*n == MAX_PARTS)
			return false;
		*p = (struct part){ .lo = to->lo, .hi = to->hi, .foreign = !to->fragment };
		if (!decode_part(f, p))
			return false;
		f->unwinds |= piece && to->lsda;
		if (piece || jumps_back(f, p, parts, *n))
			++*n;
		else
			f->n = p->first;
	}
	return true;
}

bool frame_decode(struct frame_function *f, const struct function *of)
{
	struct part parts[MAX_PARTS + 1];
	unsigned n = 1;

	f->lo = of->lo;
	f->hi = of->hi;
	f->unwinds = of->lsda != 0;
	f->n = 0;
	if (of->second || of->fragment)
		return false;
	parts[0] = (struct part){ .lo = of->lo, .hi = of->hi };
	if (!decode_part(f, &parts[0]))
		return false;
	for (unsigned k = 0; k < n; k++)
		if (!add_parts(f, parts, &n, k))
			return false;
	for (uint32_t k = 0; k < f->n; k++) {
		struct step *s = &f->steps[k];
		const struct part *p = jumps(s) ? part_of(parts, n, s->target) : NULL;

		if (p) {
			s->target_index = index_in(f, p, s->target);
			if (s->target_index < 0)
				return false;
		} else if ((s->flow != FLOW_NEXT && s->flow != FLOW_RETURN &&
			    s->flow != FLOW_STOP) &&
			   !classify(f, s)) {
			return false;
		}
	}
	return true;
}

/* SPDX-License-Identifier: MIT
 *
 * Jumps, calls and returns of copies.
 *
 * A call pushes the original return address and jumps, so whoever looks at the stack sees what the
 * compiler made. Every jump to an address that is only known when it is executed (a return is one)
 * goes through a routine that looks up whether there is a copy of the instruction there; so it does
 * not matter how the address came about, and code may return to where nobody called. Control that
 * comes from code without a copy finds its way at the points (patch.c).
 */
#include "assembler.h"
#include "frame.h"

static void emit_point(uint64_t at)
{
	if (emitting->points.n < emitting->points.capacity)
		*vector_add(&emitting->points, struct point) = (struct point){ at, 0 };
}

/* To where rcx says, by the routine that knows copies; instr.rcx is the program's. */
static void jump_lookup(void)
{
	byte(0xe9);
	word((uint64_t)(emitting->lookup - (emitting->out + 4)));
}

/* What an indirect jump or call refers to, in rcx; the program's rcx in `instr`. */
static void indirect_target(const struct insn *i)
{
	save(RCX, INSTR(instr.rcx));
	if (i->indirect_reg == NO_REGISTER) {
		operand(0x8b, &i->memory);
	} else if (i->indirect_reg != RCX) {
		byte(0x48 | (i->indirect_reg >= 8 ? 4 : 0));
		byte(0x89);
		byte(0xc0 | (i->indirect_reg & 7) << 3 | RCX);
	}
}

static void emit_return(const struct insn *i)
{
	const uint8_t *p = (const uint8_t *)i->at;
	uint32_t more = 0;

	/* A debugger's breakpoints are where the original goes on. */
	if (rt->config.debugger) {
		emit_same(i);
		return;
	}
	while (*p != 0xc2 && *p != 0xc3)
		p++;
	if (*p == 0xc2)
		more = p[1] | (uint32_t)p[2] << 8;
	save(RCX, INSTR(instr.rcx));
	byte(0x59); /* pop %rcx */
	if (more) {
		bytes("\x48\x8d\xa4\x24", 4); /* lea more(%rsp), %rsp */
		word(more);
	}
	jump_lookup();
}

/* push RETURN ADDRESS */
static void emit_push(uint64_t address, size_t before)
{
	if (address < 1UL << 31) {
		byte(0x68);
		word(address);
	} else {
		bytes("\xff\x35", 2);
		word(before);
	}
}

static void emit_call(const struct function *f, const struct insn *i)
{
	uint64_t back = i->at + i->length;

	if (i->flow == FLOW_CALL) {
		emit_push(back, 5);
		byte(0xe9);
		relative(i->target, false);
	} else {
		indirect_target(i);
		emit_push(back, 5);
		jump_lookup();
	}
	bytes(&back, 8);
	if (back < f->hi)
		emit_point(back);
}

/* By halves: movl has an operand of 32 bits. */
static void store_constant(uint64_t value, uint32_t address)
{
	absolute(0, 0xc7, 0, address);
	word(value);
	absolute(0, 0xc7, 0, address + 4);
	word(value >> 32);
}

/* Before a jump that may leave the function: where it is, and where it leads. Should that be the runtime, it knows only to
 * where the call will return; should it be another function, it is as if that had been called there (stubs.S). What an
 * entry of the linkage table leads to is in its slot, once it is needed. */
static void emit_tail(const struct insn *i)
{
	bool direct = i->flow != FLOW_JUMP_INDIRECT;
	uint64_t slot = direct && in_plt(emitting, i->target) ? import_slot(i->target) : 0;

	absolute(0x48, 0x89, RSP, INSTR(instr.tail_sp));
	store_constant(i->at + i->length, INSTR(instr.tail_pc));
	store_constant(slot ? slot : INSTR(instr.tail_target), INSTR(instr.tail_to));
	if (direct && !slot)
		store_constant(i->target, INSTR(instr.tail_target));
}

/* Does the jump go to another function, not to a part of this one? */
static bool leaves(const struct function *f, const struct insn *i)
{
	const struct function *to;

	if (i->target >= f->lo && i->target < f->hi)
		return false;
	to = module_function(emitting, i->target);
	return !to || !function_is_part(to);
}

static void emit_branch(const struct function *f, const struct insn *i)
{
	const uint8_t *p = (const uint8_t *)i->at;
	unsigned condition;

	/* The condition is in the low half of the opcode, after the prefixes. */
	while ((*p & 0xf0) != 0x70 && *p != 0x0f)
		p++;
	condition = (*p == 0x0f ? p[1] : p[0]) & 0x0f;
	if (leaves(f, i)) { /* only if it is taken: the contrary jumps over it */
		uint8_t *over;

		byte(0x70 | (condition ^ 1));
		over = emitting->out;
		byte(0);
		emit_tail(i);
		byte(0xe9);
		relative(i->target, false);
		*over = (uint8_t)(emitting->out - (over + 1));
		return;
	}
	byte(0x0f);
	byte(0x80 | condition);
	relative(i->target, i->target >= f->lo && i->target < f->hi);
}

void emit_flow(const struct function *f, const struct insn *i)
{
	if ((i->flow == FLOW_JUMP && leaves(f, i)) || i->flow == FLOW_JUMP_INDIRECT)
		emit_tail(i);
	switch (i->flow) {
	case FLOW_NEXT:
	case FLOW_STOP:
		emit_same(i);
		break;
	case FLOW_RETURN:
		emit_return(i);
		break;
	case FLOW_JUMP:
		byte(0xe9);
		relative(i->target, i->target >= f->lo && i->target < f->hi);
		break;
	case FLOW_BRANCH:
		emit_branch(f, i);
		break;
	case FLOW_SHORT:
		bytes((const void *)i->at, i->length - 1u);
		bytes("\x02\xeb\x05\xe9", 4);
		relative(i->target, i->target >= f->lo && i->target < f->hi);
		break;
	case FLOW_CALL:
	case FLOW_CALL_INDIRECT:
		if (!i->silent)
			emit_call(f, i);
		break;
	default:
		indirect_target(i);
		save(RCX, INSTR(instr.tail_target));
		jump_lookup();
	}
}

/* Tells the runtime that the function was entered, but for the registers and flags needed. Before the place where it goes
 * on is the address of the original, which says who was entered. */
void emit_enter(const struct function *f, const struct insn *first)
{
	uint8_t *back;

	save(RCX, INSTR(instr.rcx));
	bytes("\x48\x8d\x0d", 3); /* lea back(%rip), %rcx */
	back = emitting->out;
	word(0);
	save(RCX, INSTR(instr.resume));
	jump_through(first->needed & LIVE_FLAGS ? INSTR(instr.enter_flags) : INSTR(instr.enter));
	bytes(&f->lo, 8);
	back[0] = (uint8_t)(emitting->out - (back + 4));
	load(RCX, INSTR(instr.rcx));
}

/*
 * Indirect jumps, calls and returns: rcx is the target, instr.rcx the program's rcx. A target inside
 * a copied function is looked up; any other is what it says.
 */
static void emit_lookup(void)
{
	uint64_t constants[4] = { emitting->lo, emitting->hi - emitting->lo,
				  (uint64_t)emitting->map, (uint64_t)emitting->region - 1 };
	uint8_t *data = emitting->out, *miss[2];

	bytes(constants, sizeof constants);
	emitting->lookup = emitting->out;
#define CONSTANT(rex, opcode, reg, n)                                                              \
	do {                                                                                       \
		byte(rex);                                                                         \
		byte(opcode);                                                                      \
		byte(0x05 | (reg) << 3);                                                           \
		word((uint64_t)(data + 8 * (n)) - ((uint64_t)emitting->out + 4));                  \
	} while (0)
	save_flags();
	save(RAX, INSTR(instr.addr));
	save(RCX, INSTR(instr.resume));
	bytes("\x48\x89\xc8", 3);     /* mov %rcx, %rax */
	CONSTANT(0x48, 0x2b, RAX, 0); /* sub */
	CONSTANT(0x48, 0x3b, RAX, 1); /* cmp */
	bytes("\x73", 1);             /* jae */
	miss[0] = emitting->out;
	byte(0);
	CONSTANT(0x48, 0x8b, RCX, 2); /* mov */
	bytes("\x8b\x04\x81", 3);     /* mov (%rcx,%rax,4), %eax */
	bytes("\x85\xc0\x74", 3);     /* test; je */
	miss[1] = emitting->out;
	byte(0);
	CONSTANT(0x48, 0x03, RAX, 3); /* add */
	save(RAX, INSTR(instr.resume));
	for (unsigned k = 0; k < 2; k++)
		*miss[k] = (uint8_t)(emitting->out - (miss[k] + 1));
	load(RAX, INSTR(instr.addr));
	load_flags();
	load(RCX, INSTR(instr.rcx));
	jump_through(INSTR(instr.resume));
#undef CONSTANT
}

void emit_module(struct module *m)
{
	emitting = m;
	emit_lookup();
}

void resolve_fixups(struct module *m)
{
	for (size_t k = 0; k < m->fixups.n; k++) {
		const struct fixup *x = vector_at(&m->fixups, struct fixup, k);
		uint64_t to = x->target;
		uint32_t disp;

		if (to >= m->lo && to < m->hi) {
			const struct function *f = module_function(m, to);

			if (!x->inside && f && f->lo == to && f->entry)
				to = f->entry;
			else if (m->map[to - m->lo])
				to = (uint64_t)m->region + m->map[to - m->lo] - 1;
		}
		disp = (uint32_t)(to - (x->at + 4));
		__builtin_memcpy((void *)x->at, &disp, 4);
	}
	/* Jumps from outside to the start of a function enter it. */
	for (size_t k = 0; k < m->functions.n; k++) {
		const struct function *f = vector_at(&m->functions, struct function, k);

		if (f->entry)
			m->map[f->lo - m->lo] = (uint32_t)(f->entry - (uint64_t)m->region) + 1;
	}
}

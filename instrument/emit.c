/* SPDX-License-Identifier: MIT
 *
 * Writes the instrumented copy of a function.
 *
 * Before an access is a filter. It uses rcx, and rax where the flags are live:
 *
 *	nothing is traced                         the access (no branch on flags: jrcxz)
 *	the address is in the thread's own stack  the access
 *	otherwise                                 the cold part of the site: calls the runtime (stubs.S)
 *
 * Nothing of the program's state is changed at a site, an entry, a call or a return, whatever the
 * calling convention would allow: registers and flags are saved but where liveness.c has shown that
 * the function itself overwrites them. They go to fixed places below 2 GiB (struct instr), not to
 * the stack, so the red zone is not touched; only one thread of the process ever runs copies.
 *
 * A call pushes the original return address and jumps, so whoever looks at the stack sees what the
 * compiler made. Every jump to an address that is only known when it is executed (a return is one)
 * goes through a routine that looks up whether there is a copy of the instruction there; so it does
 * not matter how the address came about, and code may return to where nobody called. Control that
 * comes from code without a copy finds its way at the points (patch.c).
 */
#include "instrument.h"

#define INSTR(member) ((uint32_t)(uintptr_t)&rt->member)

static struct module *module;

static void byte(unsigned v)
{
	*module->out++ = (uint8_t)v;
}

/* A few bytes: a string instruction would take longer to start. */
static void bytes(const void *p, size_t n)
{
	const uint8_t *from = p;

	for (size_t i = 0; i < n; i++)
		module->out[i] = from[i];
	module->out += n;
}

static void word(uint64_t v)
{
	uint32_t w = (uint32_t)v;

	__builtin_memcpy(module->out, &w, sizeof w);
	module->out += sizeof w;
}

/* OPCODE with the register `reg` and a memory operand at an absolute address below 2 GiB. */
static void absolute(unsigned rex, unsigned opcode, unsigned reg, uint32_t address)
{
	uint8_t *p = module->out;

	if (rex)
		*p++ = (uint8_t)rex;
	*p++ = (uint8_t)opcode;
	*p++ = (uint8_t)(0x04 | (reg & 7) << 3);
	*p++ = 0x25;
	__builtin_memcpy(p, &address, sizeof address);
	module->out = p + sizeof address;
}

static void save(unsigned reg, uint32_t address)
{
	absolute(0x48, 0x89, reg, address);
}

static void load(unsigned reg, uint32_t address)
{
	absolute(0x48, 0x8b, reg, address);
}

static void jump_through(uint32_t address)
{
	absolute(0, 0xff, 4, address);
}

/* A relative operand; its target is known when the whole module is written. */
static void relative(uint64_t target, bool inside)
{
	*vector_add(&module->fixups, struct fixup) =
		(struct fixup){ (uint64_t)module->out, target, inside };
	word(0);
}

/* `opcode rcx, [operand]`: 0x8d lea, 0x8b mov. False if it cannot be reached. */
static void operand(unsigned opcode, const struct memory *a)
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
		word((uint64_t)a->disp - ((uint64_t)module->out + 4));
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

struct cold {
	uint8_t *from;  /* the 32-bit operand of the jump here */
	uint8_t *after; /* where to continue if the runtime does all of it; or NULL */
	uint32_t site;
};

static struct vector colds;

static struct site *new_site(const struct insn *i, unsigned kind, bool leaf)
{
	struct site *s = &instrument_sites[instrument_nsites];

	*s = (struct site){
		.pc = i->at + i->length,
		.size = i->size,
		.live = i->live,
		.kind = (uint8_t)kind,
		.reg = i->reg,
		.bits = i->bits,
		.repeat = i->repeat,
		.high = i->high,
		.leaf = leaf,
		.narrow = i->memory.narrow,
		.own = i->fs,
		.lanes = i->lanes,
	};
	return s;
}

static void cold_jump(unsigned opcode, struct site *s)
{
	if (opcode > 0xff)
		byte(opcode >> 8);
	byte(opcode & 0xff);
	*vector_add(&colds, struct cold) = (struct cold){ module->out, NULL, instrument_nsites };
	word(0);
	s->resume = (uint64_t)module->out;
	instrument_nsites++;
}

/* Flags to ax, rax to `instr`. */
static void save_flags(void)
{
	save(RAX, INSTR(instr.rax));
	bytes("\x9f\x0f\x90\xc0", 4); /* lahf; seto %al */
}

static void load_flags(void)
{
	bytes("\x04\x7f\x9e", 3); /* add $127, %al; sahf */
	load(RAX, INSTR(instr.rax));
}

/* The filter of a site; changes nothing. */
static void emit_site(const struct insn *i, bool leaf)
{
	unsigned kind = i->access - 1u;
	bool has_address = kind != SITE_FENCE && kind != SITE_STRING && kind != SITE_SYSCALL;
	bool one_place =
		has_address && kind != SITE_GATHER && kind != SITE_SCATTER && kind != SITE_DIRECT;
	bool rcx = i->needed & 1u << RCX, flags = i->needed & LIVE_FLAGS;
	struct site *s = new_site(i, kind, leaf);
	uint8_t *skip;

	s->flags = flags;
	if (rcx)
		save(RCX, INSTR(instr.rcx));
	byte(0x0f);
	absolute(0, 0xb6, RCX, INSTR(tracing)); /* movzbl */
	byte(0xe3);
	skip = module->out;
	byte(0);
	if (has_address) {
		if (rcx && (i->memory.base == RCX || i->memory.index == RCX))
			load(RCX, INSTR(instr.rcx));
		operand(0x8d, &i->memory);
		save(RCX, INSTR(instr.addr));
	}
	if (flags)
		save_flags();
	if (one_place) {
		absolute(0x48, 0x2b, RCX, INSTR(stack_lo));   /* sub */
		absolute(0x48, 0x3b, RCX, INSTR(stack_size)); /* cmp */
		cold_jump(0x0f83, s);                        /* jae */
	} else {
		cold_jump(0xe9, s);
	}
	if (flags)
		load_flags();
	*skip = (uint8_t)(module->out - (skip + 1));
	if (rcx)
		load(RCX, INSTR(instr.rcx));
}

/* A call of the runtime without conditions. */
static void emit_probe(const struct insn *i, unsigned kind, int32_t probe)
{
	struct site *s = new_site(i, kind, false);

	s->probe = (uint32_t)probe;
	s->live = 0xffff;
	s->back = i->at;
	s->flags = true;
	save(RCX, INSTR(instr.rcx));
	save_flags();
	cold_jump(0xe9, s);
	load_flags();
	load(RCX, INSTR(instr.rcx));
}

/* Continues after an instruction that the runtime has done: ax holds flags, the registers are in
 * rt->instr. */
static void emit_after(const struct cold *c)
{
	instrument_sites[c->site].after = (uint64_t)module->out;
	load_flags();
	load(RCX, INSTR(instr.rcx));
	byte(0xe9);
	word((uint64_t)(c->after - (module->out + 4)));
}

static void emit_colds(void)
{
	for (size_t k = 0; k < colds.n; k++) {
		const struct cold *c = vector_at(&colds, struct cold, k);
		uint32_t to = (uint32_t)(module->out - (c->from + 4));

		__builtin_memcpy(c->from, &to, 4);
		byte(0xb9);
		word(c->site);
		jump_through(INSTR(instr.slow));
		if (c->after)
			emit_after(c);
	}
	colds.n = 0;
}

/* The instruction itself, with its displacement from the instruction pointer adjusted. */
static void emit_same(const struct insn *i)
{
	uint8_t *at = module->out;

	bytes((const void *)i->at, i->length);
	if (i->disp_offset) {
		int32_t disp;

		__builtin_memcpy(&disp, at + i->disp_offset, 4);
		disp = (int32_t)((int64_t)disp + (int64_t)i->at - (int64_t)(uintptr_t)at);
		__builtin_memcpy(at + i->disp_offset, &disp, 4);
	}
}

static void emit_point(uint64_t at)
{
	if (module->points.n < module->points.capacity)
		*vector_add(&module->points, struct point) = (struct point){ at, 0 };
}

/* To where rcx says, by the routine that knows copies; instr.rcx is the program's. */
static void jump_lookup(void)
{
	byte(0xe9);
	word((uint64_t)(module->lookup - (module->out + 4)));
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

static void note_origin(const struct insn *i)
{
	if (module->origins.n < module->origins.capacity)
		*vector_add(&module->origins, struct origin) =
			(struct origin){ (uint32_t)(module->out - module->region),
					 (uint32_t)(i->at - module->lo) };
}

static void emit_flow(const struct function *f, const struct insn *i)
{
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
	case FLOW_BRANCH: {
		const uint8_t *p = (const uint8_t *)i->at;

		/* The condition is in the low half of the opcode, after the prefixes. */
		while ((*p & 0xf0) != 0x70 && *p != 0x0f)
			p++;
		byte(0x0f);
		byte(0x80 | ((*p == 0x0f ? p[1] : p[0]) & 0x0f));
		relative(i->target, i->target >= f->lo && i->target < f->hi);
		break;
	}
	case FLOW_SHORT:
		bytes((const void *)i->at, i->length - 1u);
		bytes("\x02\xeb\x05\xe9", 4);
		relative(i->target, i->target >= f->lo && i->target < f->hi);
		break;
	case FLOW_CALL:
	case FLOW_CALL_INDIRECT:
		emit_call(f, i);
		break;
	default:
		indirect_target(i);
		jump_lookup();
	}
}

/* Tells the runtime that the function was entered, but for the registers and flags needed. */
static void emit_enter(const struct insn *first)
{
	uint8_t *back;

	save(RCX, INSTR(instr.rcx));
	bytes("\x48\x8d\x0d", 3); /* lea back(%rip), %rcx */
	back = module->out;
	word(0);
	save(RCX, INSTR(instr.resume));
	jump_through(first->needed & LIVE_FLAGS ? INSTR(instr.enter_flags) : INSTR(instr.enter));
	back[0] = (uint8_t)(module->out - (back + 4));
	load(RCX, INSTR(instr.rcx));
}

static void emit_instruction(struct function *f, const struct insn *i, bool leaf, bool after_call)
{
	module->map[i->at - module->lo] = (uint32_t)(module->out - module->region) + 1;
	note_origin(i);
	if (after_call && module->late_returns)
		emit_probe(i, SITE_RETURN_LATE, 0);
	if (i->access)
		emit_site(i, leaf);
	if (f->probe >= 0 && i->flow == FLOW_RETURN)
		emit_probe(i, SITE_RETURN, f->probe);
	emit_flow(f, i);
	if (i->access == SITE_STRING + 1 || i->access == SITE_DIRECT + 1 ||
	    i->access == SITE_SYSCALL + 1)
		vector_at(&colds, struct cold, colds.n - 1)->after = module->out;
}

void emit_function(struct module *m, struct function *f, const struct vector *insns, bool leaf)
{
	const struct insn *i = NULL;
	bool after_call = false;

	module = m;
	if (!colds.capacity)
		vector_init(&colds, sizeof(struct cold), 1 << 20);
	f->entry = (uint64_t)m->out;
	note_origin(vector_at(insns, struct insn, 0));
	emit_enter(vector_at(insns, struct insn, 0));
	if (f->probe >= 0)
		emit_probe(vector_at(insns, struct insn, 0), SITE_ENTRY, f->probe);
	for (size_t k = 0; k < insns->n; k++) {
		i = vector_at(insns, struct insn, k);
		emit_instruction(f, i, leaf, after_call);
		after_call = i->flow == FLOW_CALL || i->flow == FLOW_CALL_INDIRECT;
	}
	if (i->flow == FLOW_NEXT || i->flow == FLOW_BRANCH || i->flow == FLOW_SHORT || after_call) {
		byte(0xe9);
		relative(i->at + i->length, false);
	}
	emit_colds();
	*vector_add(&m->points, struct point) = (struct point){ f->lo, f->entry };
	for (size_t k = 0; k < insns->n; k++) {
		i = vector_at(insns, struct insn, k);
		for (unsigned n = 0; n < i->length && !i->stays; n++)
			m->dead[i->at - m->lo + n] = 1;
	}
}

/*
 * Indirect jumps, calls and returns: rcx is the target, instr.rcx the program's rcx. A target inside
 * a copied function is looked up; any other is what it says.
 */
static void emit_lookup(void)
{
	uint64_t constants[4] = { module->lo, module->hi - module->lo, (uint64_t)module->map,
				  (uint64_t)module->region - 1 };
	uint8_t *data = module->out, *miss[2];

	bytes(constants, sizeof constants);
	module->lookup = module->out;
#define CONSTANT(rex, opcode, reg, n)                                                              \
	do {                                                                                       \
		byte(rex);                                                                         \
		byte(opcode);                                                                      \
		byte(0x05 | (reg) << 3);                                                           \
		word((uint64_t)(data + 8 * (n)) - ((uint64_t)module->out + 4));                    \
	} while (0)
	save_flags();
	save(RAX, INSTR(instr.addr));
	save(RCX, INSTR(instr.resume));
	bytes("\x48\x89\xc8", 3);     /* mov %rcx, %rax */
	CONSTANT(0x48, 0x2b, RAX, 0); /* sub */
	CONSTANT(0x48, 0x3b, RAX, 1); /* cmp */
	bytes("\x73", 1);             /* jae */
	miss[0] = module->out;
	byte(0);
	CONSTANT(0x48, 0x8b, RCX, 2); /* mov */
	bytes("\x8b\x04\x81", 3);     /* mov (%rcx,%rax,4), %eax */
	bytes("\x85\xc0\x74", 3);     /* test; je */
	miss[1] = module->out;
	byte(0);
	CONSTANT(0x48, 0x03, RAX, 3); /* add */
	save(RAX, INSTR(instr.resume));
	for (unsigned k = 0; k < 2; k++)
		*miss[k] = (uint8_t)(module->out - (miss[k] + 1));
	load(RAX, INSTR(instr.addr));
	load_flags();
	load(RCX, INSTR(instr.rcx));
	jump_through(INSTR(instr.resume));
#undef CONSTANT
}

void emit_module(struct module *m)
{
	module = m;
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

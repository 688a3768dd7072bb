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
 * Accesses through FS ask instead whether another thread was seen in this thread's storage.
 *
 * Nothing of the program's state is changed at a site, an entry, a call or a return, whatever the
 * calling convention would allow: registers and flags are saved but where liveness.c has shown that
 * the function itself overwrites them. They go to fixed places below 2 GiB (struct instr), not to
 * the stack, so the red zone is not touched; only one thread of the process ever runs copies.
 */
#include "assembler.h"
#include "coverage.h"

struct module *emitting;

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
		.number = i->number,
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
	*vector_add(&colds, struct cold) = (struct cold){ emitting->out, NULL, instrument_nsites };
	word(0);
	s->resume = (uint64_t)emitting->out;
	instrument_nsites++;
}

/* It matters when nobody else is there, too. */
static bool always(unsigned kind)
{
	return kind == SITE_SYSCALL || kind == SITE_NUMBER;
}

/* The filter of a site; changes nothing. */
static void emit_site(const struct insn *i, bool leaf)
{
	unsigned kind = i->access - 1u;
	bool has_address = kind != SITE_FENCE && kind != SITE_STRING && !always(kind);
	bool one_place =
		has_address && kind != SITE_GATHER && kind != SITE_SCATTER && kind != SITE_DIRECT;
	bool rcx = i->needed & 1u << RCX, flags = i->needed & LIVE_FLAGS;
	struct site *s = new_site(i, kind, leaf);
	uint8_t *skip = NULL;

	s->flags = flags;
	if (rcx)
		save(RCX, INSTR(instr.rcx));
	if (!always(kind)) {
		byte(0x0f);
		absolute(0, 0xb6, RCX, i->fs && has_address ? INSTR(tls_traced) : INSTR(looking)); /* movzbl */
		byte(0xe3);
		skip = emitting->out;
		byte(0);
	}
	if (has_address) {
		if (rcx && (i->memory.base == RCX || i->memory.index == RCX))
			load(RCX, INSTR(instr.rcx));
		operand(0x8d, &i->memory);
		save(RCX, INSTR(instr.addr));
	}
	if (flags)
		save_flags();
	if (one_place && !i->fs) {
		absolute(0x48, 0x2b, RCX, INSTR(stack_lo));   /* sub */
		absolute(0x48, 0x3b, RCX, INSTR(stack_size)); /* cmp */
		cold_jump(0x0f83, s);                         /* jae */
	} else {
		cold_jump(0xe9, s);
	}
	if (flags)
		load_flags();
	if (skip)
		*skip = (uint8_t)(emitting->out - (skip + 1));
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
	instrument_sites[c->site].after = (uint64_t)emitting->out;
	load_flags();
	load(RCX, INSTR(instr.rcx));
	byte(0xe9);
	word((uint64_t)(c->after - (emitting->out + 4)));
}

static void emit_colds(void)
{
	for (size_t k = 0; k < colds.n; k++) {
		const struct cold *c = vector_at(&colds, struct cold, k);
		uint32_t to = (uint32_t)(emitting->out - (c->from + 4));

		__builtin_memcpy(c->from, &to, 4);
		byte(0xb9);
		word(c->site);
		jump_through(INSTR(instr.slow));
		if (c->after)
			emit_after(c);
	}
	colds.n = 0;
}

void emit_same(const struct insn *i)
{
	uint8_t *at = emitting->out;

	bytes((const void *)i->at, i->length);
	if (i->disp_offset) {
		int32_t disp;

		__builtin_memcpy(&disp, at + i->disp_offset, 4);
		disp = (int32_t)((int64_t)disp + (int64_t)i->at - (int64_t)(uintptr_t)at);
		__builtin_memcpy(at + i->disp_offset, &disp, 4);
	}
}

static void note_origin(const struct insn *i)
{
	if (emitting->origins.n < emitting->origins.capacity)
		*vector_add(&emitting->origins, struct origin) =
			(struct origin){ (uint32_t)(emitting->out - emitting->region),
					 (uint32_t)(i->at - emitting->lo) };
}

static void emit_instruction(struct function *f, const struct insn *i, size_t number, bool leaf,
			     bool after_call)
{
	emitting->map[i->at - emitting->lo] = (uint32_t)(emitting->out - emitting->region) + 1;
	note_origin(i);
	coverage_emit(i, number);
	if (after_call && emitting->late_returns)
		emit_probe(i, SITE_RETURN_LATE, 0);
	if (i->access)
		emit_site(i, leaf);
	if (f->probe >= 0 && i->flow == FLOW_RETURN)
		emit_probe(i, SITE_RETURN, f->probe);
	emit_flow(f, i);
	if (i->access == SITE_STRING + 1 || i->access == SITE_DIRECT + 1 || always(i->access - 1u))
		vector_at(&colds, struct cold, colds.n - 1)->after = emitting->out;
}

void emit_function(struct module *m, struct function *f, const struct vector *insns, bool leaf)
{
	const struct insn *i = NULL;
	bool after_call = false;

	emitting = m;
	coverage_function(insns);
	if (!colds.capacity)
		vector_init(&colds, sizeof(struct cold), 1 << 20);
	f->entry = (uint64_t)m->out;
	note_origin(vector_at(insns, struct insn, 0));
	if (!m->hooked && !function_is_part(f)) /* with hooks, those of entry and exit tell */
		emit_enter(f, vector_at(insns, struct insn, 0));
	if (f->probe >= 0)
		emit_probe(vector_at(insns, struct insn, 0), SITE_ENTRY, f->probe);
	for (size_t k = 0; k < insns->n; k++) {
		i = vector_at(insns, struct insn, k);
		emit_instruction(f, i, k, leaf, after_call);
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

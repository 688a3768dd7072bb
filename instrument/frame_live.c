/* SPDX-License-Identifier: MIT
 *
 * What is live at each step: a data flow analysis from the returns back. Of a register two things
 * are asked: may this function read it, and may it get to a return as it is, where it is live if it
 * is live in the caller? Of a byte of the frame only the first, but a load is a read only if what it
 * loads is live, and so it is with all that only computes (strong liveness). So the slot of a
 * callee-saved register, which is loaded only to be returned, is live if the register is live in the
 * caller.
 */
#include "frame.h"

#define ALL_REGISTERS 0xffffu
#define RESULTS       (1u << RAX | 1u << RDX)
#define MAX_WORDS     (1u << 21) /* of bytes live, at all blocks together */
#define EVERYTHING    (ALL_REGISTERS | LIVE_FLAGS | LIVE_VECTORS)

struct block {
	struct live_state in;
	uint32_t first, end;
};

struct pass {
	const struct frame_function *f;
	struct block *blocks;
	uint32_t nblocks;
	uint32_t *block_of;  /* of a step that begins one: 1 + index; else 0 */
	uint64_t *own_reads; /* bytes that are read by more than a pop */
	struct live_state now;
	frame_live_fn *each;
	bool changed;
};

/* The part of [offset, offset + size) that is in the frame, from its lowest byte. */
static bool clip(const struct frame_function *f, int64_t offset, uint64_t size, uint32_t *from,
		 uint32_t *to)
{
	int64_t lo = offset - f->lowest, hi = lo + (int64_t)size;

	if (lo < 0)
		lo = 0;
	if (hi > -f->lowest)
		hi = -f->lowest;
	*from = (uint32_t)lo;
	*to = (uint32_t)hi;
	return lo < hi;
}

static void set(const struct frame_function *f, uint64_t *bytes, int64_t offset, uint64_t size,
		bool to)
{
	uint32_t from, end;

	if (!clip(f, offset, size, &from, &end))
		return;
	for (uint32_t k = from; k < end; k++)
		if (to)
			bytes[k / 64] |= 1ULL << k % 64;
		else
			bytes[k / 64] &= ~(1ULL << k % 64);
}

static bool any(const struct frame_function *f, const uint64_t *bytes, const struct range *r)
{
	uint32_t from, end;

	if (!clip(f, r->offset, r->size, &from, &end))
		return false;
	for (uint32_t k = from; k < end; k++)
		if (bytes[k / 64] >> k % 64 & 1)
			return true;
	return false;
}

/* What of the frame may be read by its address where the stack pointer is at sp: all but slots that
 * nobody has the address of, and below the stack pointer nothing, if the function uses nothing
 * there. */
static void set_all(const struct frame_function *f, struct live_state *l, int32_t sp)
{
	int32_t from = f->red_zone ? sp - 128 : sp;

	set(f, l->bytes, from, (uint64_t) - (int64_t)from, true);
	for (unsigned n = 0; n < f->nslots; n++)
		if (f->slots[n].pure)
			set(f, l->bytes, f->slots[n].offset, 8, false);
}

static void clear(struct live_state *l)
{
	l->live = l->passed = 0;
	l->saved = 0;
	for (uint32_t k = 0; k < l->nwords; k++)
		l->bytes[k] = 0;
}

static void everything(const struct frame_function *f, struct live_state *l, const struct step *s)
{
	l->live |= EVERYTHING;
	l->passed |= EVERYTHING;
	l->saved |= s->saved;
	set_all(f, l, s->sp);
}

static void join(struct live_state *to, const struct live_state *from)
{
	to->live |= from->live;
	to->passed |= from->passed;
	to->saved |= from->saved;
	for (uint32_t k = 0; k < to->nwords; k++)
		to->bytes[k] |= from->bytes[k];
}

static void join_step(struct pass *p, uint32_t k)
{
	join(&p->now, &p->blocks[p->block_of[k] - 1].in);
}

/* A jump out of the function. If its frame is gone, that is a call whose return is ours; else it may
 * be a piece of this function that is not known. */
static void tail(struct pass *p, const struct step *s)
{
	struct live_state *l = &p->now;

	if (s->sp != 0 || !s->call) {
		everything(p->f, l, s);
	} else if (s->callee) {
		l->live |= s->takes;
		l->passed |= s->callee->passed;
	} else if (s->call == CALL_LOCAL) {
		l->live |= EVERYTHING;
		l->passed |= EVERYTHING;
		set(p->f, l->bytes, -128, 128, true);
	} else {
		l->live |= s->takes;
		l->passed |= CALLEE_SAVED_REGISTERS;
	}
}

/* After step k, in p->now. */
static void after(struct pass *p, uint32_t k)
{
	const struct step *s = &p->f->steps[k];
	struct live_state *l = &p->now;

	clear(l);
	if (s->sp == NOT_REACHED)
		return;
	if (s->target_index >= 0)
		join_step(p, (uint32_t)s->target_index);
	else if (s->flow == FLOW_JUMP || s->flow == FLOW_BRANCH || s->flow == FLOW_SHORT ||
		 s->flow == FLOW_JUMP_INDIRECT)
		tail(p, s);
	switch (s->flow) {
	case FLOW_NEXT:
	case FLOW_BRANCH:
	case FLOW_SHORT:
		if (s->last)
			everything(p->f, l, s);
		else
			join_step(p, k + 1);
		break;
	case FLOW_CALL:
	case FLOW_CALL_INDIRECT:
		if (!s->last && s->call != CALL_NO_RETURN)
			join_step(p, k + 1);
		break;
	case FLOW_RETURN:
		l->passed = EVERYTHING;
		break;
	default:
		break;
	}
}

/* Who is called may find arguments on the stack: from the stack pointer on, and if it is not known
 * how many, up to what the function itself reads, which are no arguments of others. */
static void stack_arguments(struct pass *p, const struct step *s)
{
	const struct frame_function *f = p->f;
	uint32_t from, to, k;
	int32_t end = 0;

	if (s->call == CALL_OTHER && !(s->takes & LIVE_VECTORS))
		return; /* one with few arguments */
	if (s->callee && s->callee->arguments >= 0) {
		set(f, p->now.bytes, s->sp, (uint64_t)s->callee->arguments, true);
		return;
	}
	for (unsigned n = 0; n < f->nslots; n++)
		if (f->slots[n].pure && f->slots[n].offset >= s->sp && f->slots[n].offset < end)
			end = f->slots[n].offset;
	if (!clip(f, s->sp, (uint64_t)(end - s->sp), &from, &to))
		return;
	for (k = from; k < to; k++) {
		if (p->own_reads[k / 64] >> k % 64 & 1)
			break;
		p->now.bytes[k / 64] |= 1ULL << k % 64;
	}
}

/* An exception may go through this frame, or be caught in it. */
static void exception(struct pass *p, const struct step *s)
{
	const struct frame_function *f = p->f;
	struct live_state *l = &p->now;
	uint32_t kept = CALLEE_SAVED_REGISTERS;

	for (unsigned n = 0; n < f->nslots; n++)
		if (s->saved >> n & 1)
			kept &= ~(1u << f->slots[n].reg);
	l->passed |= kept;
	l->saved |= s->saved;
	if (f->unwinds) {
		l->live |= CALLEE_SAVED_REGISTERS;
		set_all(f, l, s->sp);
	}
	if (s->pad_index >= 0) {
		const struct live_state *pad = &p->blocks[p->block_of[s->pad_index] - 1].in;

		l->live |= pad->live & CALLEE_SAVED_REGISTERS;
		l->passed |= pad->passed & CALLEE_SAVED_REGISTERS;
		l->saved |= pad->saved;
		for (uint32_t k = 0; k < l->nwords; k++)
			l->bytes[k] |= pad->bytes[k];
	}
}

static void call(struct pass *p, const struct step *s)
{
	const struct frame_function *f = p->f;
	struct live_state *l = &p->now;
	bool hook = s->call == CALL_HOOK || s->call == CALL_HOOK_CAS;

	if (s->call != CALL_LOCAL) {
		uint32_t undefined = (CALLER_SAVED & ~RESULTS) | LIVE_FLAGS | LIVE_VECTORS;

		l->live &= ~undefined;
		l->passed &= ~undefined;
	}
	if (!hook) {
		stack_arguments(p, s);
		exception(p, s);
	}
	if (s->reads_all)
		set_all(f, l, s->sp);
	set(f, l->bytes, s->read.offset, s->read.size, true);
	set(f, l->bytes, f->lowest, (uint64_t)(s->sp - f->lowest), false);
	if (p->each)
		p->each(f, s, l, true);
	if (s->callee) {
		l->live &= s->callee->passed;
		l->passed &= s->callee->passed;
	} else if (s->call != CALL_LOCAL) {
		l->live &= ~RESULTS;
		l->passed &= ~RESULTS;
	}
	l->live |= s->use | s->takes;
}

static int slot_at(const struct frame_function *f, const struct range *r, unsigned reg)
{
	for (unsigned n = 0; n < f->nslots; n++)
		if (r->size == 8 && r->offset == f->slots[n].offset && reg == f->slots[n].reg)
			return (int)n;
	return -1;
}

static void kill(const struct frame_function *f, struct live_state *l, const struct range *r)
{
	set(f, l->bytes, r->offset, r->size, false);
	for (unsigned n = 0; n < f->nslots; n++)
		if (r->size && r->offset <= f->slots[n].offset &&
		    r->offset + (int64_t)r->size >= f->slots[n].offset + 8)
			l->saved &= (uint8_t) ~(1u << n);
}

/* Does nobody need what the step computes? Then nobody needs what it is made of, be it the same
 * variable: one that only counts is as good as dead. But who knows the address of something in the
 * frame may let another thread look. */
static bool in_vain(const struct pass *p, const struct step *s)
{
	const struct live_state *l = &p->now;
	uint32_t made = s->written | s->def | s->flags, passed = l->passed & made;

	if (!s->computes || l->live & made)
		return false;
	/* A register that is computed from itself, and may be returned, is needed if its new value is. */
	if (passed && (passed & (passed - 1) || passed & ~ALL_REGISTERS || s->read.size || s->reads_all ||
		       s->use & ~s->addresses & ~passed))
		return false;
	if (!s->writes)
		return true;
	return s->write.size && s->write.offset + (int64_t)s->write.size <= 0 && !p->f->escapes &&
	       !any(p->f, l->bytes, &s->write);
}

static void before(struct pass *p, const struct step *s)
{
	const struct frame_function *f = p->f;
	struct live_state *l = &p->now;
	bool store = s->effect == EFFECT_PUSH || s->effect == EFFECT_STORE,
	     load = s->effect == EFFECT_LOAD || s->effect == EFFECT_POP ||
		    s->effect == EFFECT_LEAVE;
	unsigned to = s->effect == EFFECT_LEAVE ? RBP : s->to;
	uint32_t use = s->use;
	int slot;

	if (s->sp == NOT_REACHED) /* nothing that is reached leads here */
		return;
	if (step_calls(s)) {
		call(p, s);
		return;
	}
	if (in_vain(p, s) && (!store || slot_at(f, &s->write, s->from) < 0)) {
		kill(f, l, &s->write);
		l->live = (l->live & ~s->def) | (s->use & s->addresses);
		l->passed &= ~s->def | s->use;
		return;
	}
	slot = store ? slot_at(f, &s->write, s->from) : -1;
	if (slot >= 0 && !any(f, l->bytes, &s->write)) {
		use &= ~(1u << s->from);
		if (l->saved >> slot & 1)
			l->passed |= 1u << s->from;
	}
	kill(f, l, &s->write);
	if (load) {
		bool live = l->live >> to & 1, passed = l->passed >> to & 1;

		slot = slot_at(f, &s->read, to);
		if (slot >= 0 && passed)
			l->saved |= (uint8_t)(1u << slot);
		if (live || (slot < 0 && passed)) {
			set(f, l->bytes, s->read.offset, s->read.size, true);
			if (s->reads_all)
				set_all(f, l, s->sp);
		}
	} else {
		set(f, l->bytes, s->read.offset, s->read.size, true);
		if (s->reads_all)
			set_all(f, l, s->sp);
	}
	l->live = (l->live & ~s->def) | use;
	l->passed &= ~s->def;
}

static void block_back(struct pass *p, struct block *b)
{
	struct live_state *l = &p->now;

	after(p, b->end - 1);
	for (uint32_t k = b->end; k-- > b->first;) {
		const struct step *s = &p->f->steps[k];

		before(p, s);
		if (p->each && s->sp != NOT_REACHED)
			p->each(p->f, s, l, false);
	}
	if (b->in.live != l->live || b->in.passed != l->passed || b->in.saved != l->saved ||
	    !same(b->in.bytes, l->bytes, l->nwords * 8)) {
		p->changed = true;
		b->in.live = l->live;
		b->in.passed = l->passed;
		b->in.saved = l->saved;
		copy(b->in.bytes, l->bytes, l->nwords * 8);
	}
}

/* False if they take too much memory. */
static bool find_blocks(struct pass *p)
{
	const struct frame_function *f = p->f;
	uint32_t nwords = (uint32_t)-f->lowest / 64;
	struct block *b;

	p->block_of = scratch_get((f->n + 1) * sizeof *p->block_of);
	p->block_of[0] = 1;
	for (uint32_t k = 0; k < f->n; k++) {
		const struct step *s = &f->steps[k];

		if (s->target_index >= 0)
			p->block_of[s->target_index] = 1;
		if (s->pad_index >= 0)
			p->block_of[s->pad_index] = 1;
		if (s->flow != FLOW_NEXT || s->last)
			p->block_of[k + 1] = 1;
	}
	for (uint32_t k = 0; k < f->n; k++)
		if (p->block_of[k])
			p->block_of[k] = ++p->nblocks;
	if ((uint64_t)p->nblocks * nwords > MAX_WORDS)
		return false;
	b = p->blocks = scratch_get(p->nblocks * sizeof *p->blocks);
	for (uint32_t k = 0; k < f->n; k++) {
		if (p->block_of[k]) {
			b = &p->blocks[p->block_of[k] - 1];
			b->first = k;
			b->in.nwords = nwords;
			b->in.bytes = scratch_get(nwords * 8);
		}
		b->end = k + 1;
	}
	p->now.nwords = nwords;
	p->now.bytes = scratch_get(nwords * 8);
	p->own_reads = scratch_get(nwords * 8);
	for (uint32_t k = 0; k < f->n; k++)
		if (f->steps[k].effect != EFFECT_POP && !step_calls(&f->steps[k]))
			set(f, p->own_reads, f->steps[k].read.offset, f->steps[k].read.size, true);
	return true;
}

bool frame_live(struct frame_function *f, frame_live_fn *each)
{
	struct pass p = { .f = f };

	if (!find_blocks(&p))
		return false;
	do {
		p.changed = false;
		for (uint32_t k = p.nblocks; k-- > 0;)
			block_back(&p, &p.blocks[k]);
	} while (p.changed);
	p.each = each;
	for (uint32_t k = 0; k < p.nblocks; k++)
		block_back(&p, &p.blocks[k]);
	return true;
}

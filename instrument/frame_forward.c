/* SPDX-License-Identifier: MIT
 *
 * Where registers point into the frame: a data flow analysis from the entry on. Of each register it
 * is known that it holds the address at some offset of the frame, or nothing made of such an
 * address, or that it is not known. An address that gets to memory, to a function called or into
 * arithmetic that is not followed *escapes*: then every access through a register may be to the frame.
 *
 * The targets of indirect jumps are not known. A function that has one may keep no frame address but
 * in the stack and frame pointers, or it counts as escaped; code that nothing else leads to is taken
 * to be reached by the jump, with its stack pointer.
 */
#include "frame.h"

struct state {
	int32_t value[16];
	uint16_t initial; /* registers that hold what they held at the entry */
	uint8_t weak;     /* reached behind calls only, which may be ones that do not return */
};

static bool may_be_address(int32_t v)
{
	return v != NO_ADDRESS && v != NOT_REACHED;
}

static int32_t join(int32_t a, int32_t b)
{
	if (a == b)
		return a;
	return may_be_address(a) || may_be_address(b) ? SOME_ADDRESS : NO_ADDRESS;
}

static bool any_address(const struct state *t, uint32_t registers)
{
	for (unsigned r = 0; r < 16; r++)
		if (registers >> r & 1 && may_be_address(t->value[r]))
			return true;
	return false;
}

static int32_t displaced(int32_t v, int64_t by)
{
	int64_t to = (int64_t)v + by;

	if (!known_offset(v))
		return v;
	return to > -(1 << 30) && to < 1 << 30 ? (int32_t)to : SOME_ADDRESS;
}

static void after_call(struct state *t, unsigned kind)
{
	for (unsigned r = 0; r < 16; r++) {
		if (!(CALLER_SAVED >> r & 1))
			continue;
		if (kind != CALL_LOCAL)
			t->value[r] = NO_ADDRESS;
		else if (may_be_address(t->value[r]))
			t->value[r] = SOME_ADDRESS;
		t->initial &= (uint16_t) ~(1u << r);
	}
}

/* What the step leaves in registers. */
static void transfer(const struct step *s, struct state *t)
{
	int32_t made = any_address(t, s->value_use) ? SOME_ADDRESS : NO_ADDRESS;

	switch (s->effect) {
	case EFFECT_MOVE:
		made = t->value[s->from];
		break;
	case EFFECT_LEA:
		made = displaced(t->value[s->from], s->value);
		break;
	case EFFECT_PUSH:
		t->value[RSP] = displaced(t->value[RSP], -8);
		break;
	case EFFECT_POP:
		t->value[RSP] = displaced(t->value[RSP], 8);
		made = NO_ADDRESS;
		break;
	case EFFECT_LEAVE:
		t->value[RSP] = displaced(t->value[RBP], 8);
		t->value[RBP] = NO_ADDRESS;
		break;
	case EFFECT_LOAD:
		made = NO_ADDRESS;
		break;
	default:
		break;
	}
	for (unsigned r = 0; r < 16; r++)
		if (s->written >> r & 1) {
			bool partly = !(s->def >> r & 1) && may_be_address(t->value[r]);

			t->value[r] = partly ? SOME_ADDRESS : made;
			t->initial &= (uint16_t) ~(1u << r);
		}
	if (s->flow == FLOW_CALL || s->flow == FLOW_CALL_INDIRECT)
		after_call(t, s->call);
}

/* Does an address of the frame get where it is not followed? */
static bool lets_out(const struct step *s, const struct state *t)
{
	if (s->call == CALL_OTHER || s->call == CALL_LOCAL)
		return any_address(t, s->takes & 0xffff & ~(1u << RSP));
	if (s->system)
		return any_address(t, ARGUMENT_REGISTERS);
	if (s->effect == EFFECT_PUSH || s->effect == EFFECT_STORE)
		return s->from != NO_REGISTER && may_be_address(t->value[s->from]);
	return (s->writes || s->vague || s->vector_def) && any_address(t, s->value_use);
}

struct pass {
	struct frame_function *f;
	struct state *states; /* before each step */
	bool simple;          /* there are indirect jumps */
	bool changed, bad;
};

static void flow_to(struct pass *p, uint32_t k, const struct state *t, bool weak)
{
	struct state *to = &p->states[k], old = *to;

	if (to->value[RSP] == NOT_REACHED ||
	    (to->value[RSP] != t->value[RSP] && to->weak && !weak)) {
		*to = *t;
		to->weak = weak;
		p->changed = true;
		return;
	}
	if (to->value[RSP] != t->value[RSP]) {
		p->bad |= !weak;
		return;
	}
	for (unsigned r = 0; r < 16; r++)
		to->value[r] = join(to->value[r], t->value[r]);
	to->initial &= t->initial;
	to->weak &= weak;
	p->changed |= !same(to, &old, sizeof old);
}

/* No address but in the stack and frame pointers. */
static void keep_simple(struct pass *p, struct state *t)
{
	for (unsigned r = 0; r < 16; r++)
		if (r != RSP && r != RBP && may_be_address(t->value[r])) {
			t->value[r] = NO_ADDRESS;
			p->f->escapes = true;
		}
}

/* Past the end is nothing, for the call there does not return. */
static void flow_on(struct pass *p, uint32_t k, const struct state *t, bool weak)
{
	if (!p->f->steps[k].last)
		flow_to(p, k + 1, t, weak);
	else
		p->bad |= !weak;
}

/* The unwinder restores what a call leaves alone, and sets two of the other registers. */
static void flow_to_pad(struct pass *p, uint32_t k)
{
	struct state t = p->states[k];

	after_call(&t, CALL_OTHER);
	t.weak = 0;
	flow_to(p, (uint32_t)p->f->steps[k].pad_index, &t, false);
}

static void step_forward(struct pass *p, uint32_t k)
{
	const struct step *s = &p->f->steps[k];
	struct state t = p->states[k];

	transfer(s, &t);
	if (p->simple)
		keep_simple(p, &t);
	if (!known_offset(t.value[RSP]) || t.value[RSP] > 8) {
		p->bad = true;
		return;
	}
	t.weak = 0;
	if (s->target_index >= 0)
		flow_to(p, (uint32_t)s->target_index, &t, false);
	switch (s->flow) {
	case FLOW_NEXT:
	case FLOW_BRANCH:
	case FLOW_SHORT:
		flow_on(p, k, &t, false);
		break;
	case FLOW_CALL:
	case FLOW_CALL_INDIRECT:
		if (s->pad_index >= 0)
			flow_to_pad(p, k);
		if (s->call != CALL_NO_RETURN)
			flow_on(p, k, &t, true);
		break;
	default:
		break;
	}
}

static void run(struct pass *p)
{
	do {
		p->changed = false;
		for (uint32_t k = 0; k < p->f->n && !p->bad; k++)
			if (p->states[k].value[RSP] != NOT_REACHED)
				step_forward(p, k);
	} while (p->changed && !p->bad);
}

/* The state of all indirect jumps with what they agree on; false if there are none, or they differ. */
static bool jump_state(const struct pass *p, struct state *t)
{
	bool any = false;

	for (uint32_t k = 0; k < p->f->n; k++) {
		const struct step *s = &p->f->steps[k];
		const struct state *at = &p->states[k];

		if (!step_switches(s) || at->value[RSP] == NOT_REACHED)
			continue;
		if (any && (at->value[RSP] != t->value[RSP] || at->value[RBP] != t->value[RBP]))
			return false;
		if (any) {
			t->initial &= at->initial;
		} else {
			*t = *at;
		}
		any = true;
	}
	for (unsigned r = 0; any && r < 16; r++)
		if (r != RSP && r != RBP)
			t->value[r] = NO_ADDRESS;
	return any;
}

/* Code that nothing leads to is reached by an indirect jump, or not at all. */
static bool seed(struct pass *p)
{
	struct state t;

	if (!jump_state(p, &t))
		return false;
	for (uint32_t k = 1; k < p->f->n; k++)
		if (p->states[k].value[RSP] == NOT_REACHED && !p->f->steps[k].padding) {
			t.weak = 0;
			p->states[k] = t;
			p->f->steps[k].seeded = 1;
			return true;
		}
	return false;
}

/* Where the frame pointer is one, it is the same everywhere: a jump that is not known finds it so. */
static bool steady_frame_pointer(const struct pass *p)
{
	int32_t frame = NO_ADDRESS;

	for (uint32_t k = 0; k < p->f->n; k++) {
		int32_t v = p->states[k].value[RBP];

		if (p->states[k].value[RSP] == NOT_REACHED || !may_be_address(v))
			continue;
		if (!known_offset(v) || (frame != NO_ADDRESS && frame != v))
			return false;
		frame = v;
	}
	for (uint32_t k = 0; k < p->f->n; k++)
		if (step_switches(&p->f->steps[k]) && p->states[k].value[RSP] != NOT_REACHED &&
		    p->states[k].value[RBP] != frame)
			return false;
	return true;
}

static void resolve_access(struct frame_function *f, struct step *s, const struct state *t)
{
	int32_t base = s->memory.base < 16 ? t->value[s->memory.base] : NO_ADDRESS,
		index = s->memory.index < 16 ? t->value[s->memory.index] : NO_ADDRESS;
	struct range at = { 0, 0 };

	s->sp = t->value[RSP];
	s->initial = t->initial;
	s->read = s->write = at;
	s->reads_all = 0;
	if (s->call == CALL_HOOK_CAS) {
		if (known_offset(t->value[RSI]))
			s->read = (struct range){ t->value[RSI], s->size };
		else
			s->reads_all = f->escapes || may_be_address(t->value[RSI]);
		return;
	}
	if (s->call == CALL_HOOK)
		return;
	if (step_calls(s) || s->system)
		s->reads_all = f->escapes;
	if (known_offset(base) && s->memory.index == NO_REGISTER && !s->vague)
		at = (struct range){ displaced(base, s->memory.disp), s->size };
	if (at.size && known_offset(at.offset)) {
		if (s->reads)
			s->read = at;
		if (s->writes && s->sure)
			s->write = at;
	} else if (s->reads && (s->memory.base < 16 || s->memory.index < 16 || s->vague)) {
		s->reads_all |= f->escapes || may_be_address(base) || may_be_address(index) ||
				(s->vague && any_address(t, s->use & 0xffff & ~(1u << RSP)));
	}
	if (s->effect == EFFECT_PUSH)
		s->write = (struct range){ s->sp - 8, 8 };
	else if (s->effect == EFFECT_POP)
		s->read = (struct range){ s->sp, 8 };
	else if (s->effect == EFFECT_LEAVE && known_offset(t->value[RBP]))
		s->read = (struct range){ t->value[RBP], 8 };
}

/* How much the function reads above its return address. Who is called by a jump finds there what
 * it was called with. */
static void find_arguments(struct frame_function *f)
{
	f->arguments = f->escapes ? -1 : 0;
	for (uint32_t k = 0; k < f->n && f->arguments >= 0; k++) {
		const struct step *s = &f->steps[k];
		int64_t end = s->read.offset + (int64_t)s->read.size;

		if (s->sp == NOT_REACHED)
			continue;
		if (s->reads_all || (s->call && !step_calls(s)) || s->flow == FLOW_JUMP_INDIRECT)
			f->arguments = -1;
		else if (s->read.size && end > 8 + f->arguments)
			f->arguments = (int32_t)end - 8;
	}
}

static bool resolve_all(struct pass *p)
{
	struct frame_function *f = p->f;

	f->lowest = 0;
	f->red_zone = true; /* only a function that calls nothing can use it */
	for (uint32_t k = 0; k < f->n; k++)
		f->red_zone &= !step_calls(&f->steps[k]);
	for (uint32_t k = 0; k < f->n; k++)
		if (p->states[k].value[RSP] != NOT_REACHED)
			f->escapes |= lets_out(&f->steps[k], &p->states[k]);
	for (uint32_t k = 0; k < f->n; k++) {
		struct step *s = &f->steps[k];

		s->sp = NOT_REACHED;
		s->read.size = s->write.size = 0;
		if (p->states[k].value[RSP] == NOT_REACHED)
			continue;
		resolve_access(f, s, &p->states[k]);
		f->red_zone |=
			(s->read.size && s->read.offset < s->sp) ||
			(s->write.size && s->write.offset < s->sp && s->effect != EFFECT_PUSH);
		if (s->sp - 128 < f->lowest)
			f->lowest = s->sp - 128;
		if ((s->flow == FLOW_RETURN && s->sp) || s->sp > 0)
			return false;
	}
	f->lowest = -(int32_t)round_up((uint64_t)-f->lowest, 64);
	for (uint32_t k = 0; k < f->n; k++) {
		const struct step *s = &f->steps[k];

		if ((s->read.size && s->read.offset < f->lowest) ||
		    (s->write.size && s->write.offset < f->lowest))
			return false;
	}
	find_arguments(f);
	return -f->lowest <= MAX_FRAME;
}

bool frame_forward(struct frame_function *f)
{
	struct pass p = { .f = f };

	p.states = scratch_get(f->n * sizeof *p.states);
	for (uint32_t k = 0; k < f->n; k++) {
		p.simple |= step_switches(&f->steps[k]);
		p.states[k].value[RSP] = NOT_REACHED;
		for (unsigned r = 0; k == 0 && r < 16; r++)
			p.states[k].value[r] = r == RSP ? 0 : NO_ADDRESS;
	}
	p.states[0].initial = 0xffff;
	f->escapes = false;
	do
		run(&p);
	while (!p.bad && p.simple && seed(&p));
	if (p.bad || (p.simple && !steady_frame_pointer(&p)) || !resolve_all(&p))
		return false;
	frame_slots(f);
	return true;
}

/* SPDX-License-Identifier: MIT
 *
 * Which bytes of a function are instructions. Compilers put nothing else there, but hand-written
 * code has tables and constants between its instructions, and what is data must neither be decoded
 * nor overwritten.
 *
 * A function is decoded from its start to its end. If that fails, or a jump leads between two
 * instructions found, it is decoded along the ways that control takes (recursive traversal, Cifuentes
 * and Gough, Decompilation of Binary Programs, 1995). What control reaches from the entries by
 * branches whose targets are known is code for certain. The rest is reached through a table or a
 * computed address, never reached, or data. By runs of bytes:
 *
 *	it makes no sense as code               taken for data: not copied, stays as it is
 *	it does, but the function refers to it  copied, but stays as it is, too
 *	otherwise                               copied, like code that is reached
 *
 * A wrong guess changes nothing of what the program computes. Data that was copied is still in its
 * place. Code that was taken for data is executed in its place, where its accesses are not seen;
 * where it leads back into the function there is a point. The last line is the exception: there
 * return sites are overwritten. Data gets there only if it has direct calls of the beginnings of
 * functions, or only indirect calls, decodes without a rest, and is not referred to in its function.
 */
#include "decode.h"

#define MAX_REFERENCES 4096

enum { UNKNOWN, START, INSIDE }; /* a byte, in module->dead while the function is traversed */

static struct vector todo, references;

static struct insn *insn_at(const struct vector *insns, uint64_t at)
{
	size_t lo = 0, hi = insns->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (vector_at(insns, struct insn, mid)->at < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == insns->n || vector_at(insns, struct insn, lo)->at != at)
		return NULL;
	return vector_at(insns, struct insn, lo);
}

static bool inside(const struct function *f, uint64_t at)
{
	return at >= f->lo && at < f->hi;
}

static void add_use(struct frame_use *all, const struct frame_use *one)
{
	all->escapes |= one->escapes;
	all->frame_pointer |= one->frame_pointer;
	all->other_rbp |= one->other_rbp;
}

/* One instruction after the other. NULL, or why it ended before hi. */
static const char *sweep(uint64_t lo, uint64_t hi, struct vector *insns, struct frame_use *all)
{
	while (lo < hi) {
		struct frame_use use;
		const char *why;

		if (insns->n == insns->capacity)
			return "the function is too long";
		why = decode_at(lo, hi, vector_at(insns, struct insn, insns->n), &use);
		if (why)
			return why;
		lo += vector_at(insns, struct insn, insns->n++)->length;
		add_use(all, &use);
	}
	return NULL;
}

static bool targets_are_sound(const struct function *f, const struct vector *insns)
{
	for (size_t k = 0; k < insns->n; k++) {
		const struct insn *i = vector_at(insns, struct insn, k);

		if (i->flow != FLOW_CALL && inside(f, i->target) && !insn_at(insns, i->target))
			return false;
	}
	return true;
}

static bool goes_on(const struct insn *i)
{
	return i->flow != FLOW_JUMP && i->flow != FLOW_JUMP_INDIRECT && i->flow != FLOW_RETURN &&
	       i->flow != FLOW_STOP;
}

static void push(uint64_t at)
{
	if (todo.n < todo.capacity)
		*vector_add(&todo, uint64_t) = at;
}

/* The entries: the start, symbols inside, landing pads. */
static void push_entries(const struct module *m, const struct function *f, size_t pads)
{
	const struct point *p = m->points.data;

	todo.n = 0;
	push(f->lo);
	for (size_t k = 0; k < m->entries; k++)
		if (inside(f, p[k].at))
			push(p[k].at);
	for (size_t k = pads; k < m->points.n; k++)
		if (inside(f, p[k].at))
			push(p[k].at);
}

/* Marks the instructions on the way from `at`. NULL, or why it cannot be. */
static const char *follow(const struct function *f, uint8_t *state, uint64_t at)
{
	while (inside(f, at) && state[at - f->lo] != START) {
		struct frame_use use;
		struct insn i;
		const char *why = decode_at(at, f->hi, &i, &use);

		if (why)
			return why;
		for (unsigned k = 0; k < i.length; k++) {
			if (state[at - f->lo + k] != UNKNOWN)
				return "a jump into the middle of an instruction";
			state[at - f->lo + k] = k ? INSIDE : START;
		}
		if (i.target)
			push(i.target);
		if (!goes_on(&i))
			return NULL;
		at += i.length;
	}
	return NULL;
}

/* Along the ways that control takes; then what is between, where that can be decoded. */
static const char *traverse(struct module *m, const struct function *f, size_t pads,
			    struct vector *insns, struct frame_use *all)
{
	uint8_t *state = m->dead + (f->lo - m->lo);
	const char *why = NULL;
	uint64_t at = f->lo;

	push_entries(m, f, pads);
	while (todo.n && !why)
		why = follow(f, state, *vector_at(&todo, uint64_t, --todo.n));
	insns->n = 0;
	*all = (struct frame_use){ 0 };
	while (at < f->hi && !why) {
		struct frame_use before = *all;
		size_t n = insns->n;
		uint64_t end = at;

		while (end < f->hi && state[end - f->lo] == UNKNOWN)
			end++;
		if (end > at && sweep(at, end, insns, all)) {
			insns->n = n;
			*all = before;
			scan_jumps(m, at, end);
		}
		at = end;
		while (end < f->hi && state[end - f->lo] != UNKNOWN)
			end++;
		why = sweep(at, end, insns, all);
		at = end;
	}
	zero(state, f->hi - f->lo);
	return why;
}

static void reach(const struct vector *insns, uint64_t at)
{
	struct insn *i = insn_at(insns, at);

	while (i && !i->reached) {
		uint64_t next = i->at + i->length;

		i->reached = 1;
		if (i->target)
			push(i->target);
		if (!goes_on(i) || ++i == vector_at(insns, struct insn, insns->n) || i->at != next)
			return;
	}
}

static void reach_all(const struct module *m, const struct function *f, size_t pads,
		      const struct vector *insns)
{
	push_entries(m, f, pads);
	while (todo.n)
		reach(insns, *vector_at(&todo, uint64_t, --todo.n));
}

/* What instructions refer to within the function: relative to the instruction pointer or, if the
 * code is low enough, as an absolute operand of 32 bits. */
static void find_references(const struct function *f, const struct vector *insns)
{
	references.n = 0;
	for (size_t k = 0; k < insns->n; k++) {
		const struct insn *i = vector_at(insns, struct insn, k);
		unsigned n = f->lo < 1UL << 32 ? 1 : i->disp_offset;

		for (; n && n + 4 <= i->length && !i->target; n++) {
			uint64_t at;
			uint32_t v;

			__builtin_memcpy(&v, (const void *)(i->at + n), 4);
			at = n == i->disp_offset ? i->at + i->length + (uint64_t)(int32_t)v : v;
			if (inside(f, at) && references.n < references.capacity)
				*vector_add(&references, uint64_t) = at;
		}
	}
}

static bool referred_to(uint64_t lo, uint64_t hi)
{
	for (size_t k = 0; k < references.n; k++) {
		uint64_t at = *vector_at(&references, uint64_t, k);

		if (at >= lo && at < hi)
			return true;
	}
	return references.n == references.capacity;
}

static bool linkage(const struct module *m, uint64_t at)
{
	for (unsigned k = 0; k < m->nplt; k++)
		if (at >= m->plt[k].lo && at < m->plt[k].hi)
			return true;
	return false;
}

static bool nop(const struct insn *i)
{
	return i->flow == FLOW_NEXT && !i->access && !i->use && !i->def;
}

/* Could a compiler, or a person in their senses, have written it? */
static bool sensible(struct module *m, const struct function *f, const struct vector *insns,
		     size_t from, size_t to)
{
	const struct insn *last = vector_at(insns, struct insn, to - 1);

	for (size_t k = from; k < to; k++) {
		const struct insn *i = vector_at(insns, struct insn, k);
		const struct function *callee;

		if (i->privileged || (i->length == 2 && same((const void *)i->at, "\0\0", 2)))
			return false;
		if (!i->target || (inside(f, i->target) && insn_at(insns, i->target)))
			continue;
		if (i->flow != FLOW_CALL && i->target >= m->lo && i->target < m->hi &&
		    !inside(f, i->target))
			continue;
		callee = module_function(m, i->target);
		if (!(callee && callee->lo == i->target) && !linkage(m, i->target))
			return false;
	}
	return last->at + last->length < f->hi || !goes_on(last) || nop(last) ||
	       last->flow == FLOW_CALL || last->flow == FLOW_CALL_INDIRECT;
}

static void add_point(struct module *m, uint64_t at)
{
	if (m->points.n < m->points.capacity)
		*vector_add(&m->points, struct point) = (struct point){ at, 0 };
}

/* Goes through the runs that are not known to be reached. */
static void judge(struct module *m, const struct function *f, struct vector *insns)
{
	size_t n = 0;

	for (size_t k = 0, end; k < insns->n; k = end) {
		struct insn *first = vector_at(insns, struct insn, k), *last;
		bool sense, stays;

		for (end = k + 1; end < insns->n; end++)
			if (vector_at(insns, struct insn, end)->reached != first->reached)
				break;
		last = vector_at(insns, struct insn, end - 1);
		sense = first->reached || sensible(m, f, insns, k, end);
		stays = !first->reached &&
			(!sense || referred_to(first->at, last->at + last->length));
		if (stays) {
			scan_jumps(m, first->at, last->at + last->length);
			add_point(m, last->at + last->length);
		}
		for (size_t j = k; j < end && sense; j++) {
			struct insn *i = vector_at(insns, struct insn, j);

			i->stays = stays;
			*vector_at(insns, struct insn, n++) = *i;
		}
	}
	insns->n = n;
}

const char *function_code(struct module *m, const struct function *f, struct vector *insns,
			  bool *leaf)
{
	struct frame_use all = { 0 };
	size_t pads = m->points.n;
	const char *why;
	bool known = true;

	if (!todo.capacity) {
		vector_init(&todo, sizeof(uint64_t), insns->capacity * 2);
		vector_init(&references, sizeof(uint64_t), MAX_REFERENCES);
	}
	insns->n = 0;
	landing_pads(m, f);
	why = sweep(f->lo, f->hi, insns, &all);
	if (why || !targets_are_sound(f, insns))
		why = traverse(m, f, pads, insns, &all);
	if (why)
		return why;
	reach_all(m, f, pads, insns);
	*leaf = true;
	for (size_t k = 0; k < insns->n; k++) {
		const struct insn *i = vector_at(insns, struct insn, k);

		known &= i->reached;
		if (i->flow == FLOW_CALL || i->flow == FLOW_CALL_INDIRECT)
			*leaf = false;
	}
	if (!known) {
		find_references(f, insns);
		judge(m, f, insns);
	}
	forget_frame_accesses(insns, &all);
	return NULL;
}

void scan_jumps(struct module *m, uint64_t lo, uint64_t hi)
{
	uint64_t at = lo;

	while (at < hi) {
		struct frame_use use;
		struct insn i;

		if (decode_at(at, hi, &i, &use)) {
			at++;
			continue;
		}
		if (i.target && !(i.target >= lo && i.target < hi))
			add_point(m, i.target);
		at += i.length;
	}
}

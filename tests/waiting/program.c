/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <string.h>

#define MOST_LOCAL_STEPS 300

static const char *const names[OPCODES] = {
	"load",   "store",   "exchange", "cas",       "fetch_add", "lock",
	"unlock", "trylock", "yield",    "sleep",     "set",       "sum",
	"jump",   "jump_eq", "jump_ne",  "assert_eq", "assert_ne", "end",
};

const char *opcode_name(unsigned op)
{
	return names[op];
}

static uint8_t used(struct operand o)
{
	return o.is_register ? (uint8_t)(1u << o.n) : 0;
}

static bool jumps(const struct instruction *i)
{
	return i->op == OP_JUMP || i->op == OP_JUMP_EQ || i->op == OP_JUMP_NE;
}

void program_liveness(struct thread *t)
{
	bool changed = true;

	memset(t->live, 0, sizeof t->live);
	while (changed) {
		changed = false;
		for (unsigned k = t->n; k-- > 0;) {
			const struct instruction *i = &t->code[k];
			uint8_t live = 0;

			if (i->op == OP_END)
				live = t->observed;
			else if (i->op != OP_JUMP)
				live = t->live[k + 1];
			if (jumps(i))
				live |= t->live[i->target];
			if (i->r != NO_REGISTER)
				live &= (uint8_t) ~(1u << i->r);
			live |= used(i->a) | used(i->b);
			changed |= live != t->live[k];
			t->live[k] = live;
		}
	}
}

static uint8_t value_of(const struct state *s, unsigned t, struct operand o)
{
	return o.is_register ? s->reg[t][o.n] : o.n;
}

/* What the thread does by itself. One local step: false if its next one is an access. */
static bool local_step(const struct program *p, struct state *s, unsigned t)
{
	const struct instruction *i = program_next(p, s, t);
	uint8_t a = value_of(s, t, i->a), b = value_of(s, t, i->b);
	uint8_t next = s->pc[t] + 1;

	switch (i->op) {
	case OP_SET:
		s->reg[t][i->r] = a;
		break;
	case OP_SUM:
		s->reg[t][i->r] = (a + b) % MODULUS;
		break;
	case OP_JUMP:
		next = i->target;
		break;
	case OP_JUMP_EQ:
		next = a == b ? i->target : next;
		break;
	case OP_JUMP_NE:
		next = a != b ? i->target : next;
		break;
	case OP_ASSERT_EQ:
	case OP_ASSERT_NE:
		if ((a == b) != (i->op == OP_ASSERT_EQ)) {
			s->failed = (uint8_t)(t + 1);
			return false;
		}
		break;
	case OP_YIELD:
	case OP_SLEEP:
		break;
	default:
		return false;
	}
	s->pc[t] = next;
	return true;
}

/* Up to the next access. What is in dead registers then makes no difference, so they are cleared.
 */
static void settle(const struct program *p, struct state *s, unsigned t)
{
	unsigned n = 0;

	while (local_step(p, s, t)) {
		if (++n > MOST_LOCAL_STEPS) {
			s->unusable = 1;
			return;
		}
	}
	for (unsigned r = 0; r < REGISTERS; r++) {
		if (!(p->threads[t].live[s->pc[t]] >> r & 1))
			s->reg[t][r] = 0;
	}
}

void program_start(const struct program *p, struct state *s)
{
	memset(s, 0, sizeof *s);
	memcpy(s->value, p->initial, sizeof p->initial);
	for (unsigned t = 0; t < p->nthreads && !s->failed; t++)
		settle(p, s, t);
}

bool program_all_ended(const struct program *p, const struct state *s)
{
	for (unsigned t = 0; t < p->nthreads; t++) {
		if (!program_ended(p, s, t))
			return false;
	}
	return true;
}

bool program_enabled(const struct program *p, const struct state *s, unsigned t)
{
	const struct instruction *i = program_next(p, s, t);

	if (s->failed || i->op == OP_END)
		return false;
	return i->op != OP_LOCK || s->value[i->x] == 0;
}

uint8_t program_step(const struct program *p, struct state *s, unsigned t)
{
	const struct instruction *i = program_next(p, s, t);
	uint8_t a = value_of(s, t, i->a), b = value_of(s, t, i->b), old = s->value[i->x];
	uint8_t new = old, result = old;

	switch (i->op) {
	case OP_STORE:
	case OP_EXCHANGE:
		new = a;
		break;
	case OP_CAS:
		result = old == a;
		new = result ? b : old;
		break;
	case OP_FETCH_ADD:
		new = (old + a) % MODULUS;
		break;
	case OP_LOCK:
		new = (uint8_t)(t + 1);
		break;
	case OP_TRYLOCK:
		result = old == 0;
		new = result ? (uint8_t)(t + 1) : old;
		break;
	case OP_UNLOCK:
		s->unusable |= old != t + 1;
		new = 0;
		break;
	}
	s->value[i->x] = new;
	if (i->r != NO_REGISTER)
		s->reg[t][i->r] = result;
	s->pc[t]++;
	settle(p, s, t);
	return new;
}

static void print_operand(struct operand o, FILE *out)
{
	fprintf(out, o.is_register ? " r%u" : " %u", o.n);
}

void program_print(const struct program *p, FILE *out)
{
	fprintf(out, "program %llu %u", (unsigned long long)p->seed, p->nthreads);
	for (unsigned x = 0; x < NUMBERS; x++)
		fprintf(out, " %u", p->initial[x]);
	fputc('\n', out);
	for (unsigned t = 0; t < p->nthreads; t++) {
		const struct thread *th = &p->threads[t];

		fprintf(out, "thread %u %u\n", th->observed, th->n);
		for (unsigned k = 0; k < th->n; k++) {
			const struct instruction *i = &th->code[k];

			fprintf(out, "%s %d %u", names[i->op], i->r, i->x);
			print_operand(i->a, out);
			print_operand(i->b, out);
			fprintf(out, " %u\n", i->target);
		}
	}
}

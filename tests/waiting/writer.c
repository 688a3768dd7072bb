/* SPDX-License-Identifier: MIT */
#include "writer.h"

#include <assert.h>

unsigned draw(uint64_t *random, unsigned n)
{
	uint64_t z = *random += 0x9e3779b97f4a7c15ULL;

	/* Steele, Lea and Flood's SplitMix64. */
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return (unsigned)((z ^ z >> 31) % n);
}

static unsigned write_instruction(struct writer *w, struct instruction i)
{
	assert(w->thread->n < MOST_CODE);
	w->thread->code[w->thread->n] = i;
	return w->thread->n++;
}

void write_access(struct writer *w, enum opcode op, int r, unsigned x, struct operand a,
		  struct operand b)
{
	write_instruction(w, (struct instruction){ (uint8_t)op, (int8_t)r, (uint8_t)x, a, b, 0 });
}

void write_local(struct writer *w, enum opcode op, int r, struct operand a, struct operand b)
{
	write_instruction(w, (struct instruction){ (uint8_t)op, (int8_t)r, 0, a, b, 0 });
}

unsigned write_test(struct writer *w, enum opcode op, struct operand a, struct operand b,
		    unsigned target)
{
	return write_instruction(
		w, (struct instruction){ (uint8_t)op, NO_REGISTER, 0, a, b, (uint8_t)target });
}

unsigned write_here(const struct writer *w)
{
	return w->thread->n;
}

void write_land(struct writer *w, unsigned jump)
{
	w->thread->code[jump].target = (uint8_t)w->thread->n;
}

unsigned write_jump_if(struct writer *w, enum opcode op, unsigned r, unsigned n, unsigned target)
{
	return write_test(w, op, reg(r), constant(n), target);
}

unsigned write_jump(struct writer *w, unsigned target)
{
	return write_test(w, OP_JUMP, constant(0), constant(0), target);
}

void write_load(struct writer *w, unsigned r, unsigned x)
{
	write_access(w, OP_LOAD, (int)r, x, constant(0), constant(0));
}

void write_store(struct writer *w, unsigned x, struct operand a)
{
	write_access(w, OP_STORE, NO_REGISTER, x, a, constant(0));
}

void write_add(struct writer *w, int r, unsigned x, unsigned n)
{
	write_access(w, OP_FETCH_ADD, r, x, constant(n), constant(0));
}

void write_lock(struct writer *w, unsigned m)
{
	write_access(w, OP_LOCK, NO_REGISTER, m, constant(0), constant(0));
}

void write_unlock(struct writer *w, unsigned m)
{
	write_access(w, OP_UNLOCK, NO_REGISTER, m, constant(0), constant(0));
}

void write_try(struct writer *w, unsigned r, unsigned m)
{
	write_access(w, OP_TRYLOCK, (int)r, m, constant(0), constant(0));
}

bool draw_slip(struct writer *w)
{
	return w->slips && draw(w->random, w->slips) == 0;
}

void write_pause(struct writer *w)
{
	if (w->yields && draw(w->random, 2))
		write_local(w, draw(w->random, 2) ? OP_YIELD : OP_SLEEP, NO_REGISTER, constant(0),
			    constant(0));
}

unsigned draw_datum(struct writer *w)
{
	return draw(w->random, 2);
}

enum opcode draw_test(struct writer *w)
{
	return draw(w->random, 2) ? OP_JUMP_EQ : OP_JUMP_NE;
}

/* Jumps to `top` as long as r2 is not what is waited for, mostly: anything but 0. */
void write_until(struct writer *w, unsigned top)
{
	if (draw(w->random, 4))
		write_jump_if(w, OP_JUMP_EQ, 2, 0, top);
	else
		write_jump_if(w, draw_test(w), 2, draw(w->random, 2), top);
}

void write_any(struct writer *w, unsigned x)
{
	int r = 2 + (int)draw(w->random, 2);

	switch (draw(w->random, 8)) {
	case 0:
	case 1:
		write_load(w, (unsigned)r, x);
		break;
	case 2:
		write_store(w, x, constant(draw(w->random, 3)));
		break;
	case 3:
		write_access(w, OP_EXCHANGE, r, x, constant(draw(w->random, 2)), constant(0));
		break;
	case 4:
		write_access(w, OP_CAS, r, x, constant(draw(w->random, 2)),
			     constant(draw(w->random, 3)));
		break;
	case 5:
		write_add(w, r, x, draw(w->random, 2));
		break;
	case 6:
		write_add(w, NO_REGISTER, x, 1);
		break;
	case 7:
		write_store(w, x, reg((unsigned)r));
		break;
	}
}

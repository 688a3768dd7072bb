/* SPDX-License-Identifier: MIT
 *
 * The code of a thread while it is written, instruction by instruction, with choices at random.
 *
 * Registers: r0, r1 and r4 are used inside of a piece of code, r2 and r3 hold what was read last
 * and are part of the end, r5 counts.
 */
#ifndef TEST_WAITING_WRITER_H
#define TEST_WAITING_WRITER_H

#include "program.h"

/* What the variables are used for by most pieces; any piece may use any number as data. */
enum { X0, X1, DATA, SPIN_LOCK, FLAG, TURN, M0 };

struct writer {
	struct thread *thread;
	unsigned who; /* its number */
	uint64_t *random;
	bool yields;    /* may say that it waits */
	unsigned slips; /* one piece in so many has a mistake in it; 0: none */
};

unsigned draw(uint64_t *random, unsigned n); /* below n > 0 */

static inline struct operand constant(unsigned n)
{
	return (struct operand){ false, (uint8_t)n };
}

static inline struct operand reg(unsigned n)
{
	return (struct operand){ true, (uint8_t)n };
}

/* An access: its result, if it has one that is looked at, to register r. */
void write_access(struct writer *w, enum opcode op, int r, unsigned x, struct operand a,
		  struct operand b);
void write_load(struct writer *w, unsigned r, unsigned x);
void write_store(struct writer *w, unsigned x, struct operand a);
void write_add(struct writer *w, int r, unsigned x, unsigned n);
void write_lock(struct writer *w, unsigned m);
void write_unlock(struct writer *w, unsigned m);
void write_try(struct writer *w, unsigned r, unsigned m);
/* SET, SUM and the like. */
void write_local(struct writer *w, enum opcode op, int r, struct operand a, struct operand b);
/* A jump or an assertion; returns where it is. */
unsigned write_test(struct writer *w, enum opcode op, struct operand a, struct operand b,
		    unsigned target);
unsigned write_jump_if(struct writer *w, enum opcode op, unsigned r, unsigned n, unsigned target);
unsigned write_jump(struct writer *w, unsigned target);
/* The place of the next instruction, and: the jump goes there. */
unsigned write_here(const struct writer *w);
void write_land(struct writer *w, unsigned jump);

/* Jumps to `top` as long as r2 is not what is waited for, mostly: anything but 0. */
void write_until(struct writer *w, unsigned top);
/* Perhaps a yield or a sleep. */
void write_pause(struct writer *w);
/* One access to x that nothing is known of. */
void write_any(struct writer *w, unsigned x);

/* Is there a mistake here? */
bool draw_slip(struct writer *w);
/* One of the first two variables. */
unsigned draw_datum(struct writer *w);
/* JUMP_EQ or JUMP_NE. */
enum opcode draw_test(struct writer *w);

#endif

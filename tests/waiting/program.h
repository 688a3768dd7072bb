/* SPDX-License-Identifier: MIT
 *
 * A tiny language for programs that wait, and what a step of it does.
 *
 * Two to four threads share nine variables: six numbers modulo 8 and three mutexes. Each has six
 * registers and a list of instructions. A step is one access to a variable, with all that the
 * thread does by itself up to its next access: so nothing that another thread could tell apart is
 * left out. Yielding and sleeping do nothing.
 */
#ifndef TEST_WAITING_PROGRAM_H
#define TEST_WAITING_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define MOST_THREADS 4
#define NUMBERS      6 /* variables 0 to 5 */
#define VARIABLES    9 /* and the mutexes 6 to 8: 0 is free, else one more than the owner */
#define REGISTERS    6
#define MOST_CODE    96
#define MODULUS      8

enum opcode {
	OP_LOAD, /* accesses: r = x */
	OP_STORE,
	OP_EXCHANGE,
	OP_CAS, /* r = did x change from a to b? */
	OP_FETCH_ADD,
	OP_LOCK,
	OP_UNLOCK,
	OP_TRYLOCK,
	OP_LAST_ACCESS = OP_TRYLOCK,
	OP_YIELD, /* what a thread does by itself */
	OP_SLEEP,
	OP_SET,
	OP_SUM, /* r = a + b */
	OP_JUMP,
	OP_JUMP_EQ, /* if a == b */
	OP_JUMP_NE,
	OP_ASSERT_EQ,
	OP_ASSERT_NE,
	OP_END,
	OPCODES
};

struct operand {
	bool is_register;
	uint8_t n;
};

#define NO_REGISTER (-1)

struct instruction {
	uint8_t op;
	int8_t r;  /* where the result goes, or NO_REGISTER */
	uint8_t x; /* the variable */
	struct operand a, b;
	uint8_t target; /* of a jump */
};

struct thread {
	struct instruction code[MOST_CODE]; /* the last one is OP_END, and the only one */
	uint8_t live[MOST_CODE];            /* registers that may be read before they are written */
	unsigned n;
	uint8_t observed; /* registers that are part of the end of the program */
};

struct program {
	struct thread threads[MOST_THREADS];
	unsigned nthreads;
	uint8_t initial[NUMBERS];
	uint16_t plain; /* variables that are volatile, not atomic, when compiled */
	uint64_t seed;
	char kinds[256]; /* what it is made of */
};

struct state {
	uint8_t value[VARIABLES];
	uint8_t pc[MOST_THREADS];
	uint8_t reg[MOST_THREADS][REGISTERS];
	uint8_t failed;   /* thread + 1 whose assertion at its pc failed: the end of all */
	uint8_t unusable; /* an unlock of what others own, or a loop without an access */
};

/* To be called when the code is written: which registers are live where. */
void program_liveness(struct thread *t);

/* Before the first step. */
void program_start(const struct program *p, struct state *s);

/* The access that thread t does next. Only if it has not ended. */
static inline const struct instruction *program_next(const struct program *p, const struct state *s,
						     unsigned t)
{
	return &p->threads[t].code[s->pc[t]];
}

static inline bool program_ended(const struct program *p, const struct state *s, unsigned t)
{
	return program_next(p, s, t)->op == OP_END;
}

bool program_all_ended(const struct program *p, const struct state *s);

/* Can thread t do a step? */
bool program_enabled(const struct program *p, const struct state *s, unsigned t);

/* Does it. Returns the value that the access leaves in its variable. */
uint8_t program_step(const struct program *p, struct state *s, unsigned t);

/* As text: a line "program SEED THREADS INITIAL...", then for each thread "thread OBSERVED CODE"
 * and a line an instruction: opcode r x a b target, where a and b are rN or N. */
void program_print(const struct program *p, FILE *out);

const char *opcode_name(unsigned op);

#endif

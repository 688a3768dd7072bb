/* SPDX-License-Identifier: MIT
 *
 * How an execution ends.
 */
#ifndef LP_OUTCOME_H
#define LP_OUTCOME_H

#include "event.h"

#include <stdbool.h>
#include <stdint.h>

/* The registers that a stack is unwound from, by their numbers in DWARF. */
#define STACK_REGISTERS LP_STACK_REGISTERS
#define STACK_SP	7
#define STACK_PC	16

struct outcome {
	uint8_t kind, thread; /* kind: enum lp_outcome */
	int64_t code;
	uint64_t pc;
	uint64_t addr; /* the memory it is about, 0 if none */
	uint32_t context;
	struct call_place before; /* of a misuse: what it is in conflict with... */
	uint8_t before_is;        /* ...enum lp_wait; 0: nothing is known */
	char message[256];
	uint64_t registers[STACK_REGISTERS]; /* see stack.h; [STACK_SP] is 0 if nothing is known */
};

/* Signal handlers. They run on a stack of their own: the program may be deep in its own, or past its end, when it
 * crashes. A new one, and the running thread of the system takes it. */
void outcome_init(void);
void *signal_stack_new(void);
void signal_stack_take(void *memory);

/* From now on, signals that ask to stop end the search. */
void outcome_interrupts(void);
struct sigaction;
bool outcome_is_interrupt(int sig);
bool outcome_handles(const struct sigaction *a); /* with this action */

#define ENDLESS_LOOP "no event for some seconds of computing: a loop that touches nothing shared"

/* Each ends the running execution; pc is a return address. */
void end_execution(unsigned kind, int64_t code, uint64_t pc, const char *message)
	__attribute__((noreturn));
struct fiber;
/* The running fiber, in a call of the program, uses the object as it must not. */
void end_misuse(const volatile void *object, const char *message, const struct call_place *before,
		unsigned before_is) __attribute__((noreturn));

/* An error of this fiber at the memory there. */
void end_memory_error(unsigned kind, const struct fiber *f, uint64_t pc, uint32_t context,
		      uint64_t addr, const char *message) __attribute__((noreturn));

/* The running fiber makes a call of this name, which is no step and not taken back: a limit, with its place. */
void limit_call(const char *name);

/* The program calls what cannot be explored: ends the run like die(), and the trace says where. */
void refuse(const char *format, ...) __attribute__((noreturn));

/* Another process begins with the call that is made; a child of fork that needs what is not there has said so, and ends the
 * exploration, too. */
void process_started(void);
void refused_by_child(void);

void end_blocked(void) __attribute__((noreturn)); /* nobody can run */

/* This thread keeps others from completing their operations: why is enum lp_stall. */
void end_no_progress(const struct fiber *stalled, unsigned why, const char *condition)
	__attribute__((noreturn));

/* Those who could run (a set) wait in loops, or have taken all their steps. */
void end_waiting(uint64_t can) __attribute__((noreturn));
void end_cut(void) __attribute__((noreturn)); /* by a bound */

/* It is not a class; why it is given up is in rt->need_*. */
void abandon_execution(void) __attribute__((noreturn));

/* The return address in the program of the library call that runs on the stack at sp; 0 if none. */
uint64_t program_caller(uint64_t sp);

#endif

/* SPDX-License-Identifier: MIT
 *
 * The state of an execution as a number.
 */
#ifndef LP_FINGERPRINT_H
#define LP_FINGERPRINT_H

#include <stdbool.h>
#include <stdint.h>

struct fiber;
struct state_sum;

/* For strategies that ask for it (strategy.h): f stops, before a step that it has announced, or in one that
 * it has made. */
void fingerprint_stop(struct fiber *f, bool announced);

/* Arguments of the latest call of a function of the runtime; hooks.S puts them here. At an instrumented
 * access all registers are known. */
struct kept_arguments {
	uint64_t registers[6];
	uint64_t fresh; /* no step was made since */
	uint64_t on;	/* rt->keeps_arguments, for stubs that may come before there is rt: they call leftovers_clear() */
};
extern struct kept_arguments kept_arguments;

/* What functions of the runtime leave on the stack below their caller's frame differs from execution to execution, and frames
 * of the program have holes that nobody writes. So it is overwritten before the program goes on. */
void leftovers_clear(void); /* switch.S */

/* At the end of a function that the program calls without a stub, and that returns nothing: what is left in registers is no
 * part of the program's state, but the next call would keep it. */
static inline void arguments_leave(bool kept)
{
	if (__builtin_expect(!kept, 1))
		return;
	leftovers_clear();
	__asm__ volatile("xorl %%ecx, %%ecx\n\t"
			 "xorl %%edx, %%edx\n\t"
			 "xorl %%esi, %%esi\n\t"
			 "xorl %%edi, %%edi\n\t"
			 "xorl %%r8d, %%r8d\n\t"
			 "xorl %%r9d, %%r9d"
			 :
			 :
			 : "rcx", "rdx", "rsi", "rdi", "r8", "r9", "cc");
}

/* Is all that threads have come to inside functions of the runtime known? */
bool fingerprint_is_whole(void);

/* At a choice: the state; false if parts of it are not known. */
bool fingerprint(struct state_sum *sum);

#endif

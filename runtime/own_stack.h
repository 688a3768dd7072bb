/* SPDX-License-Identifier: MIT
 *
 * The runtime's own stack of each fiber. What the runtime leaves below the program's stack pointer may differ from
 * execution to execution. Where a frame of the program comes to lie there and does not write, it counts in the thread's
 * state (local_state.h). So what goes one way or another, as each step does, runs on a stack that the program does not have.
 */
#ifndef LP_OWN_STACK_H
#define LP_OWN_STACK_H

#include "state.h"

static inline bool in_own_stacks(uintptr_t addr)
{
	return addr - OWN_STACKS < MAX_FIBERS * OWN_STACK;
}

static inline uintptr_t stack_pointer_now(void)
{
	uintptr_t sp;

	__asm__ volatile("movq %%rsp, %0" : "=r"(sp));
	return sp;
}

/* Calls a function of the runtime on the running fiber's own stack, unless it is there already, or no execution runs.
 * Nothing is left on the other one. The function must not call the program. Who calls this has no frame pointer (no
 * __builtin_frame_address, no array of variable length): what is said to debuggers relies on that. */
static inline void *on_own_stack(void *(*function)(void *), void *argument)
{
	uintptr_t end;
	void *result;

	if (UNLIKELY(!rt->running))
		return function(argument);
	end = OWN_STACKS + (rt->cur->id + 1UL) * OWN_STACK;
	if (UNLIKELY(end - stack_pointer_now() < OWN_STACK))
		return function(argument);
	__asm__ volatile(".cfi_remember_state\n\t"
			 "movq %%rsp, %%rbx\n\t"
			 ".cfi_def_cfa_register %%rbx\n\t"
			 "movq %[end], %%rsp\n\t"
			 "call *%[function]\n\t"
			 "movq %%rbx, %%rsp\n\t"
			 ".cfi_restore_state"
			 : "=a"(result), "+D"(argument)
			 : [end] "r"(end), [function] "r"(function)
			 : "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "cc", "memory");
	return result;
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * Probes: calls at the entry and at the return of a function of the program, made by load-time
 * instrumentation. This is how the operations that a specification file names are caught without a
 * mark in the source.
 *
 * Order, in explore() before the checkpoint: instrument_prepare() finds the functions; then probes
 * are placed; then instrument_apply() decodes the functions and writes the copies. A probe placed
 * later has no effect. In a library that an execution loads, instrument_late() does all three.
 *
 * A probe runs on the stack of the running fiber, in the middle of the program's code: it must not
 * use vector registers (the runtime is compiled so) nor call libc; it may announce steps.
 */
#ifndef LP_PROBE_H
#define LP_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* At an entry rax and rdx are what the caller left there; at a return rdi rsi rcx r8 r9 are of no
 * meaning, rax and rdx hold the result, and rsp is the same as at the entry (where the return
 * address is). Changes are not seen by the program. */
struct probe_regs {
	uint64_t rdi, rsi, rdx, rcx, r8, r9, rax, rsp;
	uint64_t pc; /* at an entry the return address; at a return the address of its instruction,
		      * 0: there was no return */
};

typedef void probe_fn(void *cookie, const struct probe_regs *regs);

/*
 * Calls on_entry when the function that starts at `address` (as mapped: module base + offset) is
 * entered and on_return when it returns, also through a tail call: then when the function called
 * last returns into code that is instrumented. Both are called for the running fiber, only in
 * executions, for nested and recursive calls too. Of a call that is left by longjmp or an exception
 * on_return is told with pc 0, once the thread comes to another call or return of instrumented
 * code; only rsp means something then. Either function may be NULL. One probe a function. False if
 * no such function can be instrumented (LINCHPIN_SKIP, a module compiled with hooks, undecodable).
 */
bool probe_function(uint64_t address, probe_fn *on_entry, probe_fn *on_return, void *cookie);

#endif

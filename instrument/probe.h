/* SPDX-License-Identifier: MIT
 *
 * Probes: calls at the entry and the return of a function of the program, made by load-time
 * instrumentation. They catch the operations that a specification file names, without a mark in the
 * source.
 *
 * Order, in explore() before the checkpoint: instrument_prepare() finds the functions; then probes
 * are placed; then instrument_apply() decodes the functions and writes the copies. A probe placed
 * later has no effect. In a library that an execution loads, instrument_late() does all three.
 *
 * A probe runs on the stack of the running fiber, in the middle of the program's code: it must not
 * use vector registers (the runtime is compiled without them) nor call libc; it may announce steps.
 */
#ifndef LP_PROBE_H
#define LP_PROBE_H

#include <stdbool.h>
#include <stdint.h>

/* At an entry rax and rdx have the caller's values. At a return rdi rsi rcx r8 r9 have no
 * meaning, rax and rdx hold the result, and rsp is the same as at the entry (the place of the
 * return address). The program does not see changes. */
struct probe_regs {
	uint64_t rdi, rsi, rdx, rcx, r8, r9, rax, rsp;
	uint64_t pc; /* at an entry: the return address; at a return: the address of the return
		      * instruction, or 0 if there was no return */
};

typedef void probe_fn(void *cookie, const struct probe_regs *regs);

/*
 * Calls on_entry when the function that starts at `address` (as mapped: module base + offset) is
 * entered, and on_return when it returns. After a tail call that is when the last function called
 * returns into instrumented code. Both are called for the running fiber, only in executions, also
 * for nested and recursive calls.
 *
 * If a call is left by longjmp or an exception, on_return is called with pc 0 when the thread comes
 * to the next call or return of instrumented code; then only rsp has a meaning.
 *
 * Either function may be NULL. A function can have one probe.
 *
 * False if there is no such function, or it is not instrumented (LINCHPIN_INSTRUMENT,
 * LINCHPIN_SKIP, a module compiled with hooks): an operation whose accesses are not seen cannot be
 * judged.
 */
bool probe_function(uint64_t address, probe_fn *on_entry, probe_fn *on_return, void *cookie);

/* Of how many functions the code turned out not to be instrumentable, so that nothing is called. */
unsigned probes_lost(void);

#endif

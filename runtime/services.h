/* SPDX-License-Identifier: MIT
 *
 * What the layers above give to the runtime, which does not know them otherwise: two tables of
 * functions. The interposers reach instrumentation only by its table, too; instrument/ includes
 * interpose/, not the other way round.
 */
#ifndef LP_SERVICES_H
#define LP_SERVICES_H

#include <stdbool.h>
#include <stdint.h>

#define SITE_REGISTERS 17
#define SITE_VECTORS   (1u << 22)

struct dl_phdr_info;
struct frame_view;
struct linchpin_hooks;

/* interpose/services.c: what stands between the program and libc. */
struct interposing {
	const struct linchpin_hooks *operation_hooks; /* what linchpin.h calls */

	/* Looks up the functions behind those that are interposed: in executions that would be
	 * steps. */
	void (*look_up)(void);
	/* Before the checkpoint, and after it, when constructors have run. */
	void (*before_checkpoint)(void);
	void (*after_checkpoint)(void);
	/* Makes the loader's state part of the checkpoint. */
	void (*loader_state)(void);
	/* More donors have been made: what is mapped now stays. */
	void (*keep_mappings)(void);
	/* An execution begins. */
	void (*begin)(void);
	/* It has ended, and its log is still there. */
	void (*ended)(void);
	/* Has it left anything in the kernel or in the loader? */
	bool (*changed)(void);
	/* Has it mapped memory, or unmapped what was there? */
	bool (*mapped)(void);
	/* Takes back what the execution has left in the kernel and in the loader. */
	void (*rollback)(void);

	/* A thread has returned from its function: what libc would call of the program. */
	void (*thread_at_exit)(void);
	/* It has nothing more to do: what libc would do itself. */
	void (*thread_ends)(void);
	/* The running fiber takes what was sent to it, while it is in a call that this (enum interrupt) may
	 * end. Does it? */
	bool (*taken)(unsigned interrupt);
	/* Another process has sent a signal that is the runtime's, too. */
	void (*signal_from_process)(int sig);
	/* Nobody can go on: is there somebody who can if time passes? */
	bool (*time_passes)(void);
	/* Is there a timer with a handler, that may end a loop? */
	bool (*interrupts)(void);
	/* The running fiber, alone, goes round: has such a timer run out now? */
	bool (*timer_comes)(void);
	/* It was the last one, so the process ends. */
	void (*last_thread_end)(void) __attribute__((noreturn));
	/* main has returned. */
	void (*program_end)(int status, uint64_t pc) __attribute__((noreturn));
};
extern const struct interposing interposing;

/* instrument/services.c: load-time instrumentation. */
struct fiber;
struct instrumentation {
	/* Before the checkpoint: instruments the program. And when all is over. */
	void (*prepare)(void);
	void (*finish)(void);
	/* A fiber begins (only if rt->instr.on). */
	void (*fiber_begins)(unsigned id);

	/* The 16 registers and flags (0 if they are dead) at a site, where an event entered the
	 * runtime. And which are live there: bit n register n, SITE_VECTORS vector registers. */
	void (*registers)(const void *site, const uint64_t *entry, uint64_t *to);
	/* A hash of those of the 16 that are in the set. */
	uint64_t (*some_registers)(const void *site, const uint64_t *entry, uint32_t set);
	uint32_t (*live)(const void *site);

	/* The original of an address in a copy; any other as it is. */
	uint64_t (*original)(uint64_t pc);
	/* Where a trap at pc leads; 0: it is the program's. */
	uint64_t (*trap)(uint64_t pc);
	/* Is the running fiber, its stack pointer here, in an operation of a specification file? */
	bool (*in_operation)(uint64_t sp);

	/* What of a frame is live: see frame_view.h. */
	const struct frame_view *(*frame_before)(uint64_t pc);
	const struct frame_view *(*frame_return)(uint64_t pc);
	/* A test: overwrites what is dead in the running fiber, which has announced an event. */
	void (*poison)(void);

	/* Others have run since this fiber announced that it reads a string: it may be longer or shorter now. */
	void (*text_refresh)(struct fiber *f);

	/* A library was loaded in an execution, for the first time (fresh) or again; the one in
	 * [lo, hi) was unmapped; the execution is over, and all of them are gone. */
	void (*library_came)(const struct dl_phdr_info *info, bool relocates_text, bool fresh);
	void (*library_closed)(uint64_t lo, uint64_t hi);
	void (*libraries_gone)(void);
};
extern const struct instrumentation instrumentation;

#endif

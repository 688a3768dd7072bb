/* SPDX-License-Identifier: MIT
 *
 * What fibers need from the interposers, and how thread-local storage follows them.
 */
#ifndef LP_FIBER_H
#define LP_FIBER_H

#include "rt.h"

enum tls_mode {
	TLS_AUTO = 0,
	TLS_FSGSBASE, /* wrfsbase, where the kernel allows it */
	TLS_PRCTL,    /* arch_prctl: right everywhere, dear */
	TLS_SHARED, /* one FS for all and errno swapped: where only libc and the loader have TLS */
};

void fiber_main(void);
void thread_at_exit(void); /* interpose/thread.c: key destructors */
/* interpose/exit.c: our books for the program become part of the checkpoint. */
void program_state_checkpoint(void);
/* interpose/kernel.c: descriptors and mappings of executions. */
void kernel_checkpoint(void);
void kernel_rollback(void);
void kernel_mappings(void);  /* what is mapped now stays */
void signals_rollback(void); /* interpose/signal.c: handlers and the mask */
void redirect_exits(void);   /* interpose/redirect.c */
/* interpose/loader.c: libraries of executions. */
void loader_books(void);
void loader_hook(void);
void loader_rollback(void);
void program_exit(int status, uint64_t pc) __attribute__((noreturn)); /* interpose/exit.c */

#endif

/* SPDX-License-Identifier: MIT
 *
 * The configuration: how the environment says that a run is to be made (format/run_dir.h).
 */
#ifndef LP_CONFIG_H
#define LP_CONFIG_H

#include "../format/blocks.h"
#include "../format/search.h"

#include <stdbool.h>
#include <stdint.h>

/* How thread-local storage follows the running fiber (fiber.c). */
enum tls_mode {
	TLS_AUTO = 0,
	TLS_FSGSBASE, /* wrfsbase, where the kernel allows it */
	TLS_PRCTL,    /* arch_prctl: right everywhere, dear */
	TLS_SHARED, /* one FS for all and errno swapped: where only libc and the loader have TLS */
	TLS_THREADS, /* it need not: each fiber is on a thread of the system (carriers.h) */
};

/* What becomes of freed memory (heap.c). */
enum malloc_policy { MALLOC_REUSE = 0, MALLOC_THREAD, MALLOC_QUARANTINE };

#define KEEP_ALL UINT64_MAX

enum check { CHECK_LIN, CHECK_OUTCOME, CHECK_NONE };
/* Writes that nobody sees are in no order (observed.h): always, or until an execution fails early. */
enum observers { OBSERVERS_NOT = 0, OBSERVERS_ALWAYS, OBSERVERS_WHILE_FINE };

struct config {
	char dir[1024], program[1024], replay[1024], steering[1024], ops[1024], report[1024];
	char blocks[1024]; /* empty: none */
	char part[1024];   /* empty: all */
	char instrument[1024], skip[1024]; /* globs between commas; empty: all, none */
	enum lp_search search;
	uint64_t seed, max_executions, max_steps, stop_at;
	uint64_t keep; /* so many classes are recorded, then one of each kind */
	double max_time;
	bool fork, bare, quiet;
	uint8_t observers; /* enum observers */
	bool symmetry;     /* executions in which twins have changed places are one (twins.h) */
	uint8_t malloc; /* enum malloc_policy */
	uint64_t reused; /* to begin with: lp_status.reused */
	bool left;   /* a test: compare what is below the stack pointer (left.c) */
	uint64_t room; /* a test: bytes that a random search may record (kept.c); 0 */
	bool poison; /* a test: overwrite what is dead (instrument/poison.c) */
	uint8_t tls;   /* enum tls_mode */
	uint8_t check; /* enum check */
	bool audit;    /* each merge of a stateful search is checked */
	enum lp_progress progress;
	enum lp_enforce enforce;
	bool debugger; /* traces this process: nothing may be a breakpoint but its own */
	bool leaks;    /* look for leaks at the end of every class, and in replays */
	bool coverage; /* note which instructions run */
	bool spurious; /* waits for conditions may end without a signal */
};

/* Fills rt->config. */
void config_read(char **envp);

/* The value of a variable; NULL if it is not set or empty. */
const char *env_get(char **envp, const char *name);

#endif

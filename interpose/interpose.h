/* SPDX-License-Identifier: MIT
 *
 * What the interposers share. A function i_NAME stands behind the exported NAME (see hooks.S). Each
 * goes the same way: if this is not the program's own execution, the real function; else announce
 * the event, let the scheduler choose, do it.
 */
#ifndef LP_INTERPOSE_H
#define LP_INTERPOSE_H

#include "../runtime/objects.h"
#include "../runtime/real.h"
#include "functions.h"

#define MAX_KEYS     128
#define MAX_AT_EXITS 256

/* What libc would keep for the program and we keep instead; part of the checkpoint. */
struct program_state {
	void (*key_destructors[MAX_KEYS])(void *);
	struct at_exit {
		void (*function)(void *);
		void *arg;
	} at_exits[MAX_AT_EXITS];
	unsigned nat_exits;
};
extern struct program_state program_state;

/* redirect.c: calls of the function, which has so many bytes, go to `to`. False if that cannot be.
 */
extern bool exits_redirected; /* exit() of libc leads to ours */
bool redirect(void *function, size_t room, const void *to);

/* kernel.c: this mapping, made in an execution, is the runtime's and stays. */
void mapping_keep(uintptr_t lo, uintptr_t hi);

/* futex.c: the system call; -1 and errno if it fails. */
long futex_call(uint32_t *word, int op, uint32_t value, uint64_t timeout, uint32_t *word2,
		uint32_t value3);

/* operations.c: an operation of the running fiber begins or ends; `name` lives as long as the
 * process. kind: 0 no result, 1 value, 2 there was nothing. */
void operation_call(uint64_t object, const char *name, unsigned nargs, const int64_t *args,
		    uint64_t pc);
void operation_return(unsigned kind, int64_t value, uint64_t pc);

/* The return address of the interposed call in the program. */
static inline uint64_t caller(void)
{
	return rt->entry[ENTRY_PC];
}

/* A step on a lock-like object, which is known by its first byte. */
static inline struct event *object_step(unsigned kind, const volatile void *object, enum wait wait,
					bool attempt)
{
	struct pending *p = announce(kind, object, 1, caller());

	p->flags = LP_SITE_NOVALUE;
	p->wait = (uint8_t)wait;
	p->attempt = attempt;
	return step(rt->cur);
}

/* Can nobody see whether this happens now or later? Then a step may be skipped where it cannot
 * block. */
static inline bool alone(void)
{
	return !rt->tracing;
}

/* Is an access of the running fiber visible to others? Marks the stack of another fiber as shared
 * if it is there. */
static inline bool visible(uintptr_t addr, size_t size)
{
	struct fiber *owner;

	if (!rt->tracing)
		return false;
	if (addr - STACK_BASE >= MAX_FIBERS * STACK_STRIDE)
		return true;
	owner = fiber_by_stack(addr);
	if (!owner || stack_is_shared(owner, addr))
		return true;
	if (owner != rt->cur)
		stack_share(owner, addr, size);
	return false;
}

#endif

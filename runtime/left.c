/* SPDX-License-Identifier: MIT
 *
 * A test (LINCHPIN_TEST_LEFT, tests/e2e/frames.bats): the words below a thread's stack pointer at an event are compared with
 * those of the execution before, where the steps so far are the same. What differs was left by the runtime, by the loader, or by
 * a program that is not deterministic.
 */
#include "left.h"
#include "memory.h"
#include "own_stack.h"

#define WORDS   512
#define EVENTS  1024 /* of the log, that are looked at */
#define THREADS 8

static struct left {
	uint64_t execution; /* 1 + how many there were before */
	const uint64_t *entry;
	uint64_t words[WORDS];
} *left;

static void *look(void *fiber)
{
	const struct fiber *f = fiber;
	uint64_t now = rt->status->executions + 1UL;
	struct left *l;
	bool same_steps;

	if (!left)
		left = memory_get(THREADS * EVENTS * sizeof *left);
	l = &left[f->id * EVENTS + rt->n];
	same_steps = rt->n <= rt->prefix && l->execution + 1 == now && l->entry == rt->entry;

	for (unsigned i = 1; i < WORDS; i++) {
		uint64_t word = *(rt->entry - i);

		if (same_steps && word != l->words[i])
			die("execution %u, log index %u, thread %u, at %x: %u words below the stack pointer there was %x and now "
			    "is %x",
			    (unsigned long)now, (unsigned long)rt->n, (unsigned long)f->id, (unsigned long)f->pending.pc,
			    (unsigned long)i, (unsigned long)l->words[i], (unsigned long)word);
		l->words[i] = word;
	}
	l->execution = now;
	l->entry = rt->entry;
	return NULL;
}

void left_look(struct fiber *f)
{
	if (rt->n >= EVENTS || f->id >= THREADS || (uintptr_t)(rt->entry - WORDS) < f->stack_lo || (uintptr_t)rt->entry >= f->stack_hi)
		return;
	on_own_stack(look, f);
}

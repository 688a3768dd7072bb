/* SPDX-License-Identifier: MIT
 *
 * Recorded stacks: the record LP_REC_STACK.
 */
#include "run/private.h"

#include <stdlib.h>

#define MAX_WORDS (1U << 16) /* far more than the runtime writes */

static int read_value(struct cursor *c, struct stack_value *v)
{
	*v = (struct stack_value){ .module = NONE };
	if (cursor_byte(c, &v->kind))
		return -1;
	switch (v->kind) {
	case LP_STACK_OTHER:
		return 0;
	case LP_STACK_ADDRESS:
		return cursor_varint(c, &v->at);
	case LP_STACK_CODE:
		return cursor_id(c, c->run->nmodules, "module", &v->module) ||
				       cursor_varint(c, &v->at)
			       ? -1
			       : 0;
	default:
		c->p--;
		return cursor_broken(c, "value of a stack of kind %u, expected less than %d",
				     v->kind, LP_STACK_COUNT);
	}
}

static int read_words(struct cursor *c, struct stack *s)
{
	uint32_t capacity = 0, index = 0, skipped;

	while (c->p < c->end) {
		struct stack_word w;

		if (cursor_id(c, MAX_WORDS - index, "number of words", &skipped))
			return -1;
		w.index = index + skipped;
		if (read_value(c, &w.value))
			return -1;
		VEC_GROW(s->words, s->nwords, capacity);
		s->words[s->nwords++] = w;
		index = w.index + 1;
	}
	return 0;
}

int add_stack(struct cursor *c, struct run *run)
{
	struct stack s = { 0 };

	if (cursor_id(c, run->nthreads, "thread", &s.thread))
		return -1;
	for (unsigned i = 0; i < LP_STACK_REGISTERS; i++)
		if (read_value(c, &s.registers[i]))
			return -1;
	if (read_words(c, &s)) {
		free(s.words);
		return -1;
	}
	VEC_GROW(run->stacks, run->nstacks, run->private->stacks_capacity);
	run->stacks[run->nstacks++] = s;
	return 0;
}

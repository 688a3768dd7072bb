/* SPDX-License-Identifier: MIT
 *
 * Blocks of the heap in the model.
 */
#include "model_steps.h"

/* The block freed last of this size, which is free until the thread has done a step more. */
uint8_t state_allocate(const struct program *p, struct state *s, unsigned t, uint8_t large)
{
	unsigned i = p->quarantine ? 0 : s->nfree[t];
	uint8_t b;

	while (i && s->large[s->free_list[t][i - 1]] != large)
		i--;
	if (!i) {
		s->large[s->nblocks] = large;
		return s->nblocks++;
	}
	b = s->free_list[t][i - 1];
	for (; i < s->nfree[t]; i++)
		s->free_list[t][i - 1] = s->free_list[t][i];
	s->free_list[t][--s->nfree[t]] = 0;
	return b;
}

/* Phases of realloc, after it has looked at the block. */
#define COPIES	  2
#define FREES	  3
#define PUBLISHES 4

static void give_back(const struct program *p, struct state *s, unsigned t, uint8_t b)
{
	if (s->freed[b]) {
		state_over(s, END_BAD_FREE);
		return;
	}
	s->freed[b] = 1;
	if (!p->quarantine)
		s->free_list[t][s->nfree[t]++] = b;
	if (s->grown[t])
		s->phase[t] = PUBLISHES;
	else
		state_result(s, t, 1);
}

/* realloc: the old block is read, and given back when the new one is there. */
static void grow(const struct program *p, struct state *s, unsigned t, uint8_t b)
{
	switch (s->phase[t]) {
	case 1:
		if (s->freed[b])
			state_over(s, END_USE_AFTER_FREE);
		s->phase[t] = s->large[b] ? PUBLISHES : COPIES;
		s->grown[t] = (uint8_t)((s->large[b] ? b : state_allocate(p, s, t, 1)) + 1);
		if (s->freed[s->grown[t] - 1] && s->phase[t] == COPIES)
			s->phase[t] = PHASE_GIVEN;
		break;
	case PHASE_GIVEN:
		s->freed[s->grown[t] - 1] = 0;
		s->phase[t] = COPIES;
		break;
	case COPIES:
		if (s->freed[b])
			state_over(s, END_USE_AFTER_FREE);
		s->content[s->grown[t] - 1] = s->content[b];
		s->phase[t] = FREES;
		break;
	case FREES:
		give_back(p, s, t, b);
		break;
	default:
		s->published = s->grown[t];
		s->grown[t] = 0;
		state_result(s, t, 1);
	}
}

void state_on_heap(const struct program *p, struct state *s, unsigned t, const struct op *o)
{
	uint8_t b = s->register_[t];

	if (o->what == OP_HEAP_NEW) {
		if (s->phase[t] == PHASE_GIVEN) {
			s->freed[b] = 0;
			s->phase[t] = 1;
		} else if (s->phase[t] == 2) {
			s->published = (uint8_t)(b + 1);
			state_result(s, t, 0);
		} else if (s->freed[b]) {
			state_over(s, END_USE_AFTER_FREE);
		} else {
			s->content[b] = o->value;
			s->phase[t] = 2;
		}
		return;
	}
	if (!s->phase[t]) {
		if (!s->published) {
			state_result(s, t, o->what == OP_HEAP_READ ? 9 : 0);
			return;
		}
		s->register_[t] = (uint8_t)(s->published - 1);
		if (o->what == OP_HEAP_TAKE)
			s->published = 0;
		s->phase[t] = 1;
	} else if (o->what == OP_HEAP_GROW) {
		grow(p, s, t, b);
	} else if (o->what != OP_HEAP_READ) {
		give_back(p, s, t, b);
	} else if (s->freed[b]) {
		state_over(s, END_USE_AFTER_FREE);
	} else {
		state_result(s, t, s->content[b]);
	}
}

/* SPDX-License-Identifier: MIT
 *
 * Random programs of threads that pass one block of the heap to each other, read, free and replace it, with and without
 * care, and do something else between that may be in any order with it.
 */
#include "draw.h"

#include <string.h>

static const uint8_t kinds[] = {
	OP_HEAP_NEW,  OP_HEAP_NEW,  OP_HEAP_NEW,  OP_HEAP_READ, OP_HEAP_READ, OP_HEAP_TAKE, OP_HEAP_TAKE,
	OP_HEAP_FREE, OP_HEAP_FREE, OP_HEAP_GROW, OP_HEAP_GROW, OP_LOAD,      OP_STORE,     OP_FETCH_ADD,
	OP_MUTEX_LOCK,
};

/* What may end the process: one in so many programs has it. */
#define ENDS_EVERY 6

static void operations(struct program *p, unsigned t, unsigned n, uint64_t *state, bool ends)
{
	bool locked = false;

	while (n--) {
		uint8_t what = kinds[draw_number(state, sizeof kinds)], value = (uint8_t)draw_number(state, 3);

		if (ends && !draw_number(state, 4))
			what = (uint8_t)(OP_EXIT_IF + draw_number(state, OP_ABORT_IF - OP_EXIT_IF + 1));
		if (what == OP_MUTEX_LOCK && locked)
			what = OP_MUTEX_UNLOCK;
		locked ^= what == OP_MUTEX_LOCK || what == OP_MUTEX_UNLOCK;
		add_operation(p, t, what, 0, value);
	}
	if (locked)
		add_operation(p, t, OP_MUTEX_UNLOCK, 0, 0);
}

void generate_heap(struct program *p, uint64_t seed)
{
	uint64_t state = seed * 0xa0761d6478bd642fUL + 1;
	bool nested, ends;

	memset(p, 0, sizeof *p);
	for (int i = 0; i < 5; i++)
		draw_number(&state, 2);
	p->nthreads = (uint8_t)(draw_number(&state, 4) ? 3 : 4);
	p->quarantine = !draw_number(&state, 3);
	nested = p->nthreads == 4 && draw_number(&state, 2);
	ends = !draw_number(&state, ENDS_EVERY);
	if (!draw_number(&state, 3))
		add_operation(p, 0, OP_HEAP_NEW, 0, 2);
	for (uint8_t t = 1; t < p->nthreads - nested; t++)
		add_operation(p, 0, OP_CREATE, t, 0);
	if (p->n[0] + 1U + p->nthreads - nested <= MOST_OPS) /* a lock is given back, and all are joined */
		operations(p, 0, draw_number(&state, 2), &state, ends);
	for (unsigned t = 1; t < p->nthreads; t++) {
		bool makes = nested && t == 1;

		if (makes && draw_number(&state, 2))
			operations(p, 1, 1, &state, ends);
		if (makes)
			add_operation(p, 1, OP_CREATE, 3, 0);
		operations(p, t, 1 + draw_number(&state, p->nthreads > 3 ? 2 : 3), &state, ends);
		if (makes)
			p->ops[1][p->n[1]++] = (struct op){ OP_JOIN, 3, 0 };
	}
	for (uint8_t t = 1; t < p->nthreads - nested; t++)
		p->ops[0][p->n[0]++] = (struct op){ OP_JOIN, t, 0 };
}

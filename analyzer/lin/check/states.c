/* SPDX-License-Identifier: MIT
 *
 * What an object holds after each operation of an order: the order is executed on the specification
 * once more, and the state written out.
 */
#include "lin/check/check.h"
#include "lin/explain/explain.h"

#include <stdlib.h>
#include <string.h>

#define MAX_SHOWN 12 /* values of a state that are written out */

/* One object on its way through the order. */
struct object {
	const struct lin_part *part;
	struct state state;
	bool lost; /* something was not possible: from here on nothing is known */
};

struct run {
	struct lin_problem problem;
	struct object *objects; /* one a part */
	uint32_t *part;         /* by operation of the history: its part, or UINT32_MAX */
	uint32_t *position;     /* and its position there */
};

/* Sequences show both ends, because that is where something happens. */
static void write_sequence(struct text *t, const struct object *o)
{
	const struct state *s = &o->state;
	uint32_t n = state_size(s), half = MAX_SHOWN / 2;

	text_add(t, "[");
	for (uint32_t i = 0; i < n; i++) {
		if (n > MAX_SHOWN && i == half) {
			i = n - half;
			text_add(t, ", (%u more)", n - MAX_SHOWN);
		}
		text_add(t, i ? ", " : "");
		text_plain(t, o->part, s->w[s->head + i]);
	}
	text_add(t, "]");
}

static void write_table(struct text *t, const struct object *o, enum adt_shape shape)
{
	const struct state *s = &o->state;
	uint32_t n = s->n / 2;

	text_add(t, "{");
	for (uint32_t i = 0; i < n; i++) {
		int64_t value = s->w[2 * i + 1];

		text_add(t, i ? ", " : "");
		if (i == MAX_SHOWN) {
			text_add(t, "%u more", n - MAX_SHOWN);
			break;
		}
		text_plain(t, o->part, s->w[2 * i]);
		if (shape == SHAPE_COUNTS && value != 1)
			text_add(t, " (%lld times)", (long long)value);
		if (shape == SHAPE_MAP) {
			text_add(t, ": ");
			text_plain(t, o->part, value);
		}
	}
	text_add(t, "}");
}

static char *write_state(const struct object *o)
{
	enum adt_shape shape = (enum adt_shape)o->part->spec->adt->shape;
	struct text t = { 0 };

	switch (shape) {
	case SHAPE_OTHER:
		break;
	case SHAPE_VALUE:
		text_plain(&t, o->part, o->state.w[0]);
		break;
	case SHAPE_SWITCH:
		text_add(&t, o->state.w[0] ? "held" : "free");
		break;
	case SHAPE_SEQUENCE:
		write_sequence(&t, o);
		break;
	case SHAPE_SET:
	case SHAPE_COUNTS:
	case SHAPE_MAP:
		write_table(&t, o, shape);
		break;
	}
	return t.s;
}

static void start(struct run *r, size_t nops)
{
	r->objects = xcalloc(r->problem.nparts + 1, sizeof *r->objects);
	r->part = xmalloc((nops + 1) * sizeof *r->part);
	r->position = xcalloc(nops + 1, sizeof *r->position);
	memset(r->part, 0xff, (nops + 1) * sizeof *r->part);
	for (uint32_t i = 0; i < r->problem.nparts; i++) {
		const struct lin_part *part = &r->problem.parts[i];
		const struct adt *adt = part->spec->adt;
		struct object *o = &r->objects[i];

		o->part = part;
		o->lost = adt->shape == SHAPE_OTHER;
		o->state = (struct state){ .problem = part->problem, .part = part };
		if (!o->lost && adt->init)
			adt->init(&o->state, part->spec->parameters, part->spec->nparameters);
		for (uint32_t k = 0; k < part->nops; k++) {
			r->part[part->ops[k].id] = i;
			r->position[part->ops[k].id] = k;
		}
	}
}

/* Executes an operation; the state behind it if it is asked for. Operations that belong to no part
 * change nothing, and nothing is said about them. */
static char *advance(struct run *r, uint32_t op, bool wanted)
{
	uint32_t part = r->part[op];
	struct object *o = part == UINT32_MAX ? NULL : &r->objects[part];

	if (!o || o->lost)
		return NULL;
	o->lost =
		o->part->spec->adt->step(&o->state, &o->part->ops[r->position[op]]) == STEP_ILLEGAL;
	o->state.nlog = 0; /* nothing is undone */
	return o->lost || !wanted ? NULL : write_state(o);
}

char **lin_states(const struct history *h, const struct lin_options *options, const uint32_t *order,
		  size_t norder, const bool *wanted, struct error *e)
{
	struct arena arena = { 0 };
	struct run r = { 0 };
	char **states = NULL;

	if (!problem_build(&r.problem, h, options, false, &arena, e)) {
		states = xcalloc(norder + 1, sizeof *states);
		start(&r, h->nops);
		for (size_t i = 0; i < norder; i++)
			states[i] = advance(&r, order[i], !wanted || wanted[i]);
		for (uint32_t i = 0; i < r.problem.nparts; i++)
			state_free(&r.objects[i].state);
		free(r.objects);
		free(r.part);
		free(r.position);
	}
	problem_free(&r.problem);
	arena_free(&arena);
	return states;
}

void lin_states_free(char **states, size_t n)
{
	for (size_t i = 0; states && i < n; i++)
		free(states[i]);
	free(states);
}

/* SPDX-License-Identifier: MIT
 *
 * All sequential orders of a client are executed on its specification, without looking at results.
 * A client has few operations, so these are few.
 */
#include "client/sequential.h"
#include "lin/problem.h"
#include "spec/op_name.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ORDERS 100000 /* steps; behind them the answer is from what was seen */

struct sequential {
	const struct alphabet *a;
	struct lin_spec spec;
	struct lin_problem problem;
	struct lin_part part;
	struct state state;
	struct lin_op *ops; /* by symbol */
	int64_t *more;      /* third and fourth arguments, by symbol */
	/* of the client at hand */
	const struct client *c;
	unsigned first[CLIENT_MAX_THREADS];
	unsigned done[CLIENT_MAX_THREADS];
	bool changes[CLIENT_MAX_OPS]; /* in some order */
	unsigned steps;
	bool stuck;
};

static enum op_kind role_by_name(const char *name)
{
	struct op_name n;

	op_name_read(name, &n);
	switch (n.role) {
	case ROLE_LOOK:
	case ROLE_GET:
	case ROLE_SIZE:
	case ROLE_EMPTY:
		return OP_READS;
	case ROLE_TAKE:
		return OP_TAKES;
	default:
		return OP_CHANGES;
	}
}

enum op_kind op_kind_of(const struct spec_file *spec, uint32_t op)
{
	const struct adt_method *m = client_method(spec, op);
	enum op_kind role = role_by_name(spec->ops[op].name);

	if (!m)
		return role;
	if (m->flags & M_READS)
		return OP_READS;
	/* `remove` of a set succeeds, that of a queue gives a value. */
	return (m->flags & M_TAKES) || ((m->flags & M_SUCCEEDS) && role == OP_TAKES) ? OP_TAKES
										     : OP_CHANGES;
}

static void fill_op(struct sequential *m, uint32_t symbol)
{
	const struct symbol *s = &m->a->symbols[symbol];
	const struct spec_op *op = &m->a->spec->ops[s->op];
	struct lin_op *out = &m->ops[symbol];
	int64_t args[SPEC_MAX_ARGS] = { WORD_EMPTY, WORD_EMPTY, WORD_EMPTY, WORD_EMPTY };
	int method = adt_method_find(m->spec.adt, op->name);

	for (unsigned i = 0; i < op->nargs; i++) {
		const struct domain *d = &m->a->domains[s->domain[i]];

		args[i] = d->kind == VALUES_FRESH ? 1 + symbol : d->values[s->value[i]];
	}
	*out = (struct lin_op){ .a = args[0],
				.b = args[1],
				.r = WORD_EMPTY,
				.id = symbol,
				.method = (uint8_t)method,
				.code = m->spec.adt->methods[method].code,
				.nargs = (uint8_t)op->nargs,
				.flags = OP_ANY };
	m->more[2 * symbol] = args[2];
	m->more[2 * symbol + 1] = args[3];
}

struct sequential *sequential_new(const struct alphabet *a)
{
	static const struct history none;
	struct sequential *m = xcalloc(1, sizeof *m);

	m->a = a;
	if (spec_parse(&m->spec, a->spec->objects[0].specification, &none, NULL) < 0 ||
	    !m->spec.adt->methods || m->spec.pool) {
		free(m);
		return NULL;
	}
	m->ops = xcalloc((size_t)CLIENT_MAX_OPS * a->nsymbols, sizeof *m->ops);
	m->more = xcalloc(2 * (size_t)a->nsymbols, sizeof *m->more);
	m->problem.more = m->more;
	m->part = (struct lin_part){ .problem = &m->problem,
				     .spec = &m->spec,
				     .ops = m->ops,
				     .nops = CLIENT_MAX_OPS * a->nsymbols };
	for (uint32_t i = 0; i < a->nsymbols; i++)
		fill_op(m, i);
	/* States are made large enough for all operations of the part: as if each occurred in all
	 * places. */
	for (uint32_t i = a->nsymbols; i < m->part.nops; i++)
		m->ops[i] = m->ops[i - a->nsymbols];
	m->state = (struct state){ .problem = &m->problem, .part = &m->part };
	if (m->spec.adt->init)
		m->spec.adt->init(&m->state, m->spec.parameters, m->spec.nparameters);
	return m;
}

void sequential_free(struct sequential *m)
{
	if (!m)
		return;
	state_free(&m->state);
	free(m->ops);
	free(m->more);
	free(m);
}

static bool step(struct sequential *m, unsigned at)
{
	return m->spec.adt->step(&m->state, &m->ops[m->c->symbols[at]]) == STEP_CHANGED;
}

/* One that waits goes on only if it can do what it is for. */
static bool waits(const struct sequential *m, unsigned at)
{
	return m->a->waits[m->a->symbols[m->c->symbols[at]].op];
}

static void run_threads(struct sequential *m)
{
	bool any = false, left = false;

	for (unsigned t = 0; t < m->c->nthreads; t++) {
		unsigned at = m->first[t] + m->done[t];
		uint32_t log = m->state.nlog;
		bool changed;

		if (m->done[t] == m->c->n[t] || ++m->steps > MAX_ORDERS)
			continue;
		left = true;
		changed = step(m, at);
		if (changed || !waits(m, at)) {
			any = true;
			m->changes[at] |= changed;
			m->done[t]++;
			run_threads(m);
			m->done[t]--;
		}
		state_undo(&m->state, log);
	}
	m->stuck |= left && !any;
}

/* Can one notice what the other one does? Keys are independent of each other. */
static bool conflict(const struct sequential *m, unsigned x, unsigned y)
{
	const struct lin_op *a = &m->ops[m->c->symbols[x]], *b = &m->ops[m->c->symbols[y]];
	const struct adt_method *methods = m->spec.adt->methods;

	if (!m->changes[x] && !m->changes[y])
		return false;
	return !(methods[a->method].flags & M_KEY) || !(methods[b->method].flags & M_KEY) ||
	       a->a == b->a;
}

static unsigned count_conflicts(const struct sequential *m)
{
	unsigned n = 0;

	for (unsigned t = 0; t < m->c->nthreads; t++)
		for (unsigned u = 0; u < t; u++)
			for (unsigned i = 0; i < m->c->n[t]; i++)
				for (unsigned k = 0; k < m->c->n[u]; k++) {
					unsigned x = m->first[t] + i, y = m->first[u] + k;

					n += 2 * conflict(m, x, y) +
					     (m->changes[x] && m->changes[y]);
				}
	return n;
}

void sequential_run(struct sequential *m, const struct client *c, struct sequential_answer *answer)
{
	unsigned at = 0;
	uint32_t log = m->state.nlog;

	*answer = (struct sequential_answer){ .before = true };
	m->c = c;
	m->steps = 0;
	m->stuck = false;
	memset(m->changes, 0, sizeof m->changes);
	memset(m->done, 0, sizeof m->done);
	for (; at < c->nbefore; at++)
		answer->before &= step(m, at);
	for (unsigned t = 0; t < c->nthreads; at += c->n[t++])
		m->first[t] = at;
	run_threads(m);
	state_undo(&m->state, log);
	answer->stuck = m->stuck;
	for (unsigned i = c->nbefore; i < at; i++)
		answer->moves |= m->changes[i];
	answer->conflicts = count_conflicts(m);
}

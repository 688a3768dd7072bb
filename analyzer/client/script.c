/* SPDX-License-Identifier: MIT
 *
 * From a client as it is enumerated to one that can be run.
 */
#include "client/client.h"
#include "client/sequential.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct maker {
	const struct alphabet *a;
	struct script *s;
	unsigned n; /* operations so far */
	int64_t fresh;
};

static void add(struct maker *m, const struct symbol *symbol)
{
	const struct spec_op *op = &m->a->spec->ops[symbol->op];
	struct script_op *out = &m->s->ops[m->n];

	if (m->n == SCRIPT_MAX_OPS)
		return;
	*out = (struct script_op){ .op = symbol->op };
	for (unsigned i = 0; i < op->nargs; i++) {
		const struct domain *d = &m->a->domains[symbol->domain[i]];

		out->args[i] = d->kind == VALUES_FRESH ? m->fresh++ : d->values[symbol->value[i]];
	}
	m->n++;
}

static bool is_fresh(const struct alphabet *a, const struct symbol *symbol)
{
	for (unsigned i = 0; i < a->spec->ops[symbol->op].nargs; i++)
		if (a->domains[symbol->domain[i]].kind == VALUES_FRESH)
			return true;
	return false;
}

/* Are all values of the symbol values of the client? */
static bool is_used(const struct alphabet *a, const struct client *c, const struct symbol *symbol)
{
	for (unsigned i = 0; i < a->spec->ops[symbol->op].nargs; i++) {
		bool found = false;

		for (unsigned k = 0; k < client_size(c); k++) {
			const struct symbol *s = &a->symbols[c->symbols[k]];

			for (unsigned j = 0; j < a->spec->ops[s->op].nargs; j++)
				found = found || (s->domain[j] == symbol->domain[i] &&
						  s->value[j] == symbol->value[i]);
		}
		if (!found)
			return false;
	}
	return true;
}

static void add_all(struct maker *m, const struct client *c, enum op_kind role, unsigned times)
{
	const struct alphabet *a = m->a;

	for (uint32_t i = 0; i < a->nsymbols; i++) {
		const struct symbol *s = &a->symbols[i];

		/* One that would wait cannot be used to look. */
		if (op_kind_of(a->spec, s->op) != role || is_fresh(a, s) || !is_used(a, c, s) ||
		    a->waits[s->op])
			continue;
		for (unsigned k = 0; k < (a->spec->ops[s->op].nargs ? 1 : times); k++)
			add(m, s);
	}
}

void script_make(const struct alphabet *a, const struct client *c, struct script *s)
{
	struct maker m = { .a = a, .s = s, .fresh = 1 };
	unsigned puts = 0, at = 0;

	*s = (struct script){ .nthreads = c->nthreads };
	for (unsigned g = 0; g <= c->nthreads; g++) {
		unsigned n = g ? c->n[g - 1] : c->nbefore;

		for (unsigned i = 0; i < n; i++, at++) {
			const struct symbol *symbol = &a->symbols[c->symbols[at]];

			puts += op_kind_of(a->spec, symbol->op) == OP_CHANGES;
			add(&m, symbol);
		}
		s->end[g] = m.n;
	}
	add_all(&m, c, OP_READS, 1);
	add_all(&m, c, OP_TAKES, puts + 1);
	s->end[c->nthreads + 1] = m.n;
}

static void write_op(FILE *out, const struct spec_file *spec, const struct script_op *op)
{
	fprintf(out, "%s(", spec->ops[op->op].name);
	for (unsigned i = 0; i < spec->ops[op->op].nargs; i++)
		fprintf(out, "%s%" PRId64, i ? ", " : "", op->args[i]);
	fputc(')', out);
}

static void write_group(FILE *out, const struct spec_file *spec, const struct script *s,
			unsigned group, const char *open, const char *close)
{
	fputs(open, out);
	for (unsigned i = script_first(s, group); i < s->end[group]; i++) {
		fputs(i > script_first(s, group) ? " " : "", out);
		write_op(out, spec, &s->ops[i]);
	}
	fputs(close, out);
}

char *script_text(const struct spec_file *spec, const struct script *s)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return xstrdup("");
	if (s->end[0])
		write_group(out, spec, s, 0, "[", "] ");
	for (unsigned t = 1; t <= s->nthreads; t++)
		write_group(out, spec, s, t, t > 1 ? "|{" : "{", "}");
	if (s->end[s->nthreads + 1] > s->end[s->nthreads])
		write_group(out, spec, s, s->nthreads + 1, " [", "]");
	fclose(out);
	return text;
}

void script_remove(struct script *s, unsigned at)
{
	unsigned group = 0;

	while (at >= s->end[group])
		group++;
	memmove(&s->ops[at], &s->ops[at + 1], (script_size(s) - at - 1) * sizeof *s->ops);
	for (unsigned g = group; g <= s->nthreads + 1; g++)
		s->end[g]--;
	if (group == 0 || group > s->nthreads || s->end[group] > s->end[group - 1])
		return;
	memmove(&s->end[group], &s->end[group + 1], (s->nthreads + 1 - group) * sizeof *s->end);
	s->nthreads--;
}

/* Puts an operation before that at `to`, which is in this group. */
static void insert(struct script *s, unsigned to, unsigned group, struct script_op op)
{
	memmove(&s->ops[to + 1], &s->ops[to], (script_size(s) - to) * sizeof *s->ops);
	s->ops[to] = op;
	for (unsigned g = group; g <= s->nthreads + 1; g++)
		s->end[g]++;
}

void script_hoist(struct script *s, unsigned thread)
{
	unsigned first = script_first(s, thread);
	struct script_op op = s->ops[first];

	script_remove(s, first);
	insert(s, s->end[0], 0, op);
}

void script_sink(struct script *s, unsigned thread)
{
	unsigned last = s->end[thread] - 1;
	struct script_op op = s->ops[last];

	script_remove(s, last);
	insert(s, s->end[s->nthreads], s->nthreads + 1, op);
}

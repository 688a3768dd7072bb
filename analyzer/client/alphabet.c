/* SPDX-License-Identifier: MIT
 *
 * Which operations with which values clients are made of.
 *
 * What a file does not say about the values of an argument follows from the data type. A key is one
 * of few, of which only the order counts. What is put into a sequence is another value each time:
 * sequences never look at values (data independence), so equal ones could only hide mistakes. So is
 * what is written, unless an operation compares with it.
 */
#include "client/client.h"
#include "lin/adt.h"
#include "lin/lin.h"

#include <stdlib.h>
#include <string.h>

const struct adt *client_adt(const struct spec_file *spec)
{
	const char *text = spec->objects[0].specification;
	char *name = xstrndup(text, strcspn(text, "( \t"));
	const struct adt *adt = strchr(name, '/') ? NULL : adt_find(name);

	free(name);
	return adt && adt->methods ? adt : NULL;
}

const struct adt_method *client_method(const struct spec_file *spec, uint32_t op)
{
	const struct adt *adt = client_adt(spec);
	int i = adt ? adt_method_find(adt, spec->ops[op].name) : -1;

	return i < 0 ? NULL : &adt->methods[i];
}

/* Does an operation compare with a value that another one has put in? */
static bool compares(const struct spec_file *spec)
{
	for (uint32_t i = 0; i < spec->nops; i++) {
		const struct spec_op *op = &spec->ops[i];
		const struct adt_method *m = op->object ? NULL : client_method(spec, i);
		bool key = m && (m->flags & M_KEY);

		/* cas(key, old, new), cas(old, new), remove(key, value) */
		if (m && (op->nargs > 1U + key && ((m->flags & M_TAKES) || op->nargs > 2 || !key)))
			return true;
	}
	return false;
}

static enum spec_values_kind standard_kind(const struct spec_file *spec, const struct adt *adt,
					   const struct spec_op *op, unsigned arg)
{
	const struct adt_method *m = client_method(spec, (uint32_t)(op - spec->ops));

	if (!m || ((m->flags & M_KEY) && !arg))
		return VALUES_ORDERED;
	if (adt->shape == SHAPE_SEQUENCE)
		return (m->flags & M_READS) ? VALUES_ORDERED : VALUES_FRESH;
	if (adt->shape == SHAPE_MAP || adt->shape == SHAPE_VALUE)
		return compares(spec) ? VALUES_ORDERED : VALUES_FRESH;
	return VALUES_ORDERED;
}

/* How much a counter or a semaphore goes up does not matter. */
static bool is_amount(const struct adt *adt)
{
	return adt->shape == SHAPE_SWITCH || !strcmp(adt->noun, "counter") ||
	       !strcmp(adt->noun, "semaphore");
}

static const struct spec_values *said(const struct spec_file *spec, const char *argument)
{
	for (uint32_t i = 0; i < spec->clients.nvalues; i++)
		if (!strcmp(spec->clients.values[i].argument, argument))
			return &spec->clients.values[i];
	return NULL;
}

static void fill_domain(struct domain *d, const struct spec_values *v, unsigned values)
{
	d->n = v ? v->n : d->kind == VALUES_FRESH ? 0 : values;
	d->values = xcalloc(d->n + 1, sizeof *d->values);
	for (uint32_t i = 0; i < d->n; i++)
		d->values[i] = v ? v->list[i] : (int64_t)i + 1;
}

/* Arguments of one name have one domain. */
static uint8_t domain_of(struct alphabet *a, const struct spec_op *op, unsigned arg,
			 unsigned values)
{
	const struct adt *adt = client_adt(a->spec);
	const struct spec_values *v = said(a->spec, op->args[arg]);
	struct domain d = { .argument = op->args[arg] };

	for (uint32_t i = 0; i < a->ndomains; i++)
		if (!strcmp(a->domains[i].argument, op->args[arg]))
			return (uint8_t)i;
	d.kind = v ? v->kind : standard_kind(a->spec, adt, op, arg);
	if (!v && adt && is_amount(adt)) {
		d.kind = VALUES_ORDERED;
		values = 1;
	}
	fill_domain(&d, v, values);
	VEC_GROW(a->domains, a->ndomains, a->domains_capacity);
	a->domains[a->ndomains] = d;
	return (uint8_t)a->ndomains++;
}

/* All combinations of values of an operation. */
static void add_symbols(struct alphabet *a, uint32_t number, unsigned values)
{
	const struct spec_op *op = &a->spec->ops[number];
	struct symbol s = { .op = number };
	unsigned at;

	for (unsigned i = 0; i < op->nargs; i++)
		s.domain[i] = domain_of(a, op, i, values);
	do {
		VEC_GROW(a->symbols, a->nsymbols, a->symbols_capacity);
		a->symbols[a->nsymbols++] = s;
		for (at = op->nargs; at > 0; at--) {
			if (s.value[at - 1] + 1U < a->domains[s.domain[at - 1]].n) {
				s.value[at - 1]++;
				break;
			}
			s.value[at - 1] = 0;
		}
	} while (at > 0);
}

void alphabet_make(struct alphabet *a, const struct spec_file *spec, unsigned values)
{
	const struct spec_clients *c = &spec->clients;

	*a = (struct alphabet){ .spec = spec };
	a->single = xcalloc(spec->nops, sizeof *a->single);
	a->waits = xcalloc(spec->nops, sizeof *a->waits);
	for (uint32_t i = 0; i < spec->nops; i++) {
		if (spec->ops[i].object)
			continue;
		add_symbols(a, i, values);
		for (uint32_t k = 0; k < c->nsingles; k++)
			if (!strcmp(c->singles[k].function, spec->ops[i].function))
				a->single[i] = c->singles[k].group + 1;
		for (uint32_t k = 0; k < c->nwaits; k++)
			a->waits[i] |= !strcmp(c->waits[k].function, spec->ops[i].function);
	}
}

void alphabet_free(struct alphabet *a)
{
	for (uint32_t i = 0; i < a->ndomains; i++)
		free(a->domains[i].values);
	free(a->domains);
	free(a->symbols);
	free(a->single);
	free(a->waits);
	*a = (struct alphabet){ 0 };
}

bool client_singles_kept(const struct alphabet *a, const struct client *c)
{
	unsigned at = c->nbefore;

	for (unsigned t = 0; t < c->nthreads; at += c->n[t++])
		for (unsigned i = at; i < at + c->n[t]; i++) {
			uint32_t group = a->single[a->symbols[c->symbols[i]].op];

			for (unsigned k = c->nbefore; k < at && group; k++)
				if (a->single[a->symbols[c->symbols[k]].op] == group)
					return false;
		}
	return true;
}

/* SPDX-License-Identifier: MIT
 *
 * Threads are written in order (by length, then by symbols), which leaves one of all their
 * permutations. Of a domain in which only the order of values counts, a client uses the first
 * values, without a gap: every other choice is one of these with the values renamed in order. Where
 * values are alike, all permutations of those that are used are tried, and a client is kept if
 * none of them, with the threads in order again, is smaller.
 *
 * So exactly one client of each class is visited: the renaming in order maps each client to one
 * without gaps and does not change which of two threads comes first, as symbols are numbered in the
 * order of their values; and the least of finitely many permutations is unique.
 */
#include "client/enumerate.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ALIKE 6 /* values of a domain whose permutations are tried */

struct enumerator {
	const struct alphabet *a;
	const struct enumerate_bounds *bounds;
	bool (*visit)(const struct client *c, void *data);
	void *data;
	struct client c;
};

/* ---- threads ---- */

static int compare_threads(const struct client *c, unsigned first, unsigned n, unsigned other,
			   unsigned m)
{
	if (n != m)
		return n < m ? -1 : 1;
	for (unsigned i = 0; i < n; i++)
		if (c->symbols[first + i] != c->symbols[other + i])
			return c->symbols[first + i] < c->symbols[other + i] ? -1 : 1;
	return 0;
}

static bool threads_in_order(const struct client *c)
{
	unsigned at = c->nbefore;

	for (unsigned t = 0; t + 1 < c->nthreads; at += c->n[t++])
		if (compare_threads(c, at, c->n[t], at + c->n[t], c->n[t + 1]) > 0)
			return false;
	return true;
}

/* Sorts the threads. */
static void put_in_order(struct client *c)
{
	struct client from = *c;
	unsigned first[CLIENT_MAX_THREADS], at = c->nbefore;
	bool used[CLIENT_MAX_THREADS] = { false };

	for (unsigned t = 0; t < c->nthreads; at += c->n[t++])
		first[t] = at;
	at = c->nbefore;
	for (unsigned t = 0; t < c->nthreads; t++) {
		unsigned least = CLIENT_MAX_THREADS;

		for (unsigned u = 0; u < c->nthreads; u++)
			if (!used[u] && (least == CLIENT_MAX_THREADS ||
					 compare_threads(&from, first[u], from.n[u], first[least],
							 from.n[least]) < 0))
				least = u;
		used[least] = true;
		c->n[t] = from.n[least];
		memcpy(&c->symbols[at], &from.symbols[first[least]], c->n[t] * sizeof *c->symbols);
		at += c->n[t];
	}
}

/* ---- values ---- */

/* The symbol with another value wherever an argument is of that domain. */
static uint16_t renamed(const struct alphabet *a, uint16_t symbol, unsigned domain,
			const uint8_t *to)
{
	const struct symbol *s = &a->symbols[symbol];
	unsigned nargs = a->spec->ops[s->op].nargs;
	struct symbol want = *s;

	for (unsigned i = 0; i < nargs; i++)
		if (want.domain[i] == domain)
			want.value[i] = to[want.value[i]];
	while (symbol && a->symbols[symbol - 1].op == s->op)
		symbol--;
	for (;; symbol++) {
		bool same = true;

		for (unsigned i = 0; i < nargs; i++)
			same = same && a->symbols[symbol].value[i] == want.value[i];
		if (same)
			return symbol;
	}
}

static unsigned values_used(const struct enumerator *e, unsigned domain)
{
	unsigned used = 0;

	for (unsigned k = 0; k < client_size(&e->c); k++) {
		const struct symbol *s = &e->a->symbols[e->c.symbols[k]];

		for (unsigned i = 0; i < e->a->spec->ops[s->op].nargs; i++)
			if (s->domain[i] == domain)
				used |= 1U << s->value[i];
	}
	return used;
}

static bool next_permutation(uint8_t *p, unsigned n)
{
	unsigned i = n, j = n - 1;
	uint8_t swap;

	while (i > 1 && p[i - 2] >= p[i - 1])
		i--;
	if (i < 2)
		return false;
	while (p[j] <= p[i - 2])
		j--;
	swap = p[i - 2], p[i - 2] = p[j], p[j] = swap;
	for (unsigned a = i - 1, b = n - 1; a < b; a++, b--)
		swap = p[a], p[a] = p[b], p[b] = swap;
	return true;
}

static int compare(const struct client *a, const struct client *b)
{
	return memcmp(a->symbols, b->symbols, sizeof a->symbols);
}

/* Is the client the least of its renamings in the domains from this one on? */
static bool is_least(const struct enumerator *e, const struct client *c, unsigned domain)
{
	const struct domain *d = &e->a->domains[domain];
	uint8_t to[32];
	unsigned n = 0;

	if (domain == e->a->ndomains) {
		struct client sorted = *c;

		put_in_order(&sorted);
		return compare(&e->c, &sorted) <= 0;
	}
	for (unsigned used = values_used(e, domain); used; used >>= 1)
		n++;
	if (d->kind != VALUES_ALIKE || n < 2 || n > MAX_ALIKE)
		return is_least(e, c, domain + 1);
	for (unsigned i = 0; i < n; i++)
		to[i] = (uint8_t)i;
	do {
		struct client other = *c;

		for (unsigned k = 0; k < client_size(c); k++)
			other.symbols[k] = renamed(e->a, c->symbols[k], domain, to);
		if (!is_least(e, &other, domain + 1))
			return false;
	} while (next_permutation(to, n));
	return true;
}

static bool values_kept(const struct enumerator *e)
{
	bool alike = false;

	for (uint32_t i = 0; i < e->a->ndomains; i++) {
		const struct domain *d = &e->a->domains[i];
		unsigned used = values_used(e, i);

		if (d->kind == VALUES_LISTED || d->kind == VALUES_FRESH)
			continue;
		if (used & (used + 1)) /* a gap */
			return false;
		alike |= d->kind == VALUES_ALIKE;
	}
	return !alike || is_least(e, &e->c, 0);
}

/* ---- all of them ---- */

static bool fill_symbols(struct enumerator *e, unsigned at, unsigned size)
{
	if (at == size)
		return !threads_in_order(&e->c) || !client_singles_kept(e->a, &e->c) ||
		       !values_kept(e) || e->visit(&e->c, e->data);
	for (uint32_t s = 0; s < e->a->nsymbols; s++) {
		e->c.symbols[at] = (uint16_t)s;
		if (!fill_symbols(e, at + 1, size))
			return false;
	}
	e->c.symbols[at] = 0;
	return true;
}

/* Threads with at least `least` operations each, and `left` in all. */
static bool fill_threads(struct enumerator *e, unsigned least, unsigned left, unsigned size)
{
	if (!left)
		return e->c.nthreads < 2 || fill_symbols(e, 0, size);
	if (e->c.nthreads == e->bounds->threads)
		return true;
	for (unsigned n = least; n <= left && n <= e->bounds->operations; n++) {
		e->c.n[e->c.nthreads++] = (uint8_t)n;
		if (!fill_threads(e, n, left - n, size))
			return false;
		e->c.n[--e->c.nthreads] = 0;
	}
	return true;
}

bool enumerate(const struct alphabet *a, const struct enumerate_bounds *bounds, unsigned size,
	       bool (*visit)(const struct client *c, void *data), void *data)
{
	struct enumerator e = { .a = a, .bounds = bounds, .visit = visit, .data = data };

	for (unsigned before = 0; before <= bounds->before && before + 2 <= size; before++) {
		memset(&e.c, 0, sizeof e.c);
		e.c.nbefore = (uint8_t)before;
		if (!fill_threads(&e, 1, size - before, size))
			return false;
	}
	return true;
}

unsigned enumerate_largest(const struct enumerate_bounds *bounds)
{
	unsigned n = bounds->before + bounds->threads * bounds->operations;

	return n < CLIENT_MAX_OPS ? n : CLIENT_MAX_OPS;
}

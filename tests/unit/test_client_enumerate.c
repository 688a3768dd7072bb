/* SPDX-License-Identifier: MIT
 *
 * Clients are enumerated up to symmetry. The oracle writes down every client there is, renames its
 * values in every way that its domains allow, sorts the texts of its threads, and keeps the least
 * text: as many different ones as there are classes.
 */
#include "client/enumerate.h"
#include "client/sequential.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define MAX_TEXT 256

struct texts {
	char **list;
	size_t n, capacity;
};

static void add_text(struct texts *t, const char *text)
{
	VEC_GROW(t->list, t->n, t->capacity);
	t->list[t->n++] = xstrdup(text);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts; how many different ones. */
static size_t distinct(struct texts *t)
{
	size_t n = 0;

	if (t->n)
		qsort(t->list, t->n, sizeof *t->list, by_text);
	for (size_t i = 0; i < t->n; i++)
		n += !i || strcmp(t->list[i], t->list[i - 1]) != 0;
	return n;
}

static void free_texts(struct texts *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->list[i]);
	free(t->list);
}

/* One way to rename: by domain and value. */
struct renaming {
	int to[4][8];
};

static void write_thread(const struct alphabet *a, const struct client *c, unsigned from,
			 unsigned n, const struct renaming *r, char *out)
{
	*out = '\0';
	for (unsigned i = from; i < from + n; i++) {
		const struct symbol *s = &a->symbols[c->symbols[i]];

		out += sprintf(out, "%u", s->op);
		for (unsigned k = 0; k < a->spec->ops[s->op].nargs; k++)
			out += sprintf(out, ".%d", r->to[s->domain[k]][s->value[k]]);
		out += sprintf(out, " ");
	}
}

static void write_client(const struct alphabet *a, const struct client *c, const struct renaming *r,
			 char *out)
{
	char threads[CLIENT_MAX_THREADS][64], *sorted[CLIENT_MAX_THREADS];
	unsigned at = c->nbefore;

	write_thread(a, c, 0, at, r, out);
	for (unsigned t = 0; t < c->nthreads; at += c->n[t++]) {
		write_thread(a, c, at, c->n[t], r, threads[t]);
		sorted[t] = threads[t];
	}
	qsort(sorted, c->nthreads, sizeof *sorted, by_text);
	for (unsigned t = 0; t < c->nthreads; t++) {
		strcat(out, "|");
		strcat(out, sorted[t]);
	}
}

struct least {
	const struct alphabet *a;
	const struct client *c;
	char text[MAX_TEXT];
};

/* All renamings of the domains from this one on. */
static void rename_all(struct least *l, struct renaming *r, unsigned domain, bool used[4][8])
{
	const struct domain *d = &l->a->domains[domain];
	char text[MAX_TEXT];
	int n = 0;

	if (domain == l->a->ndomains) {
		write_client(l->a, l->c, r, text);
		if (!*l->text || strcmp(text, l->text) < 0)
			strcpy(l->text, text);
		return;
	}
	if (d->kind == VALUES_LISTED || d->kind == VALUES_FRESH) {
		for (int i = 0; i < 8; i++)
			r->to[domain][i] = i;
		rename_all(l, r, domain + 1, used);
		return;
	}
	if (d->kind == VALUES_ORDERED) {
		for (unsigned i = 0; i < d->n; i++)
			if (used[domain][i])
				r->to[domain][i] = n++;
		rename_all(l, r, domain + 1, used);
		return;
	}
	/* Any other values, as a number with a digit for each. */
	for (unsigned code = 0, most = 1; code < most; code++) {
		unsigned rest = code, taken = 0;
		bool different = true;

		most = 1;
		for (unsigned i = 0; i < d->n; i++) {
			most *= d->n;
			r->to[domain][i] = (int)(rest % d->n);
			rest /= d->n;
			if (!used[domain][i])
				continue;
			different = different && !(taken & 1U << r->to[domain][i]);
			taken |= 1U << r->to[domain][i];
		}
		if (different)
			rename_all(l, r, domain + 1, used);
	}
}

static void canonical(const struct alphabet *a, const struct client *c, char *out)
{
	struct least l = { .a = a, .c = c };
	struct renaming r = { 0 };
	bool used[4][8] = { 0 };

	for (unsigned i = 0; i < client_size(c); i++) {
		const struct symbol *s = &a->symbols[c->symbols[i]];

		for (unsigned k = 0; k < a->spec->ops[s->op].nargs; k++)
			used[s->domain[k]][s->value[k]] = true;
	}
	rename_all(&l, &r, 0, used);
	strcpy(out, l.text);
}

/* All clients, threads in any order, with any values. */
static void all_symbols(const struct alphabet *a, struct client *c, unsigned at, unsigned size,
			struct texts *out)
{
	char text[MAX_TEXT];

	if (at < size) {
		for (uint32_t s = 0; s < a->nsymbols; s++) {
			c->symbols[at] = (uint16_t)s;
			all_symbols(a, c, at + 1, size, out);
		}
		return;
	}
	if (!client_singles_kept(a, c))
		return;
	canonical(a, c, text);
	add_text(out, text);
}

static void all_shapes(const struct alphabet *a, const struct enumerate_bounds *b, struct client *c,
		       unsigned left, unsigned size, struct texts *out)
{
	if (!left && c->nthreads >= 2)
		all_symbols(a, c, 0, size, out);
	if (!left || c->nthreads == b->threads)
		return;
	for (unsigned n = 1; n <= left && n <= b->operations; n++) {
		c->n[c->nthreads++] = (uint8_t)n;
		all_shapes(a, b, c, left - n, size, out);
		c->n[--c->nthreads] = 0;
	}
}

struct found {
	const struct alphabet *a;
	struct texts texts;
};

static bool visit(const struct client *c, void *data)
{
	struct found *f = data;
	char text[MAX_TEXT];

	canonical(f->a, c, text);
	add_text(&f->texts, text);
	return true;
}

static void compare(const char *specification, const struct enumerate_bounds *b, unsigned size,
		    size_t expected)
{
	struct spec_file spec;
	struct alphabet a;
	struct error e = { "" };
	struct texts all = { 0 };
	struct found found = { .a = &a };
	size_t n;

	if (spec_file_parse(&spec, "s.lin", specification, &e) < 0)
		fail_msg("%s", e.message);
	alphabet_make(&a, &spec, 2);
	for (unsigned before = 0; before <= b->before && before < size; before++) {
		struct client c = { .nbefore = (uint8_t)before };

		all_shapes(&a, b, &c, size - before, size, &all);
	}
	assert_true(enumerate(&a, b, size, visit, &found));
	n = distinct(&all);
	assert_int_equal(distinct(&found.texts), found.texts.n);
	assert_int_equal(found.texts.n, n);
	if (expected)
		assert_int_equal(n, expected);
	for (size_t i = 0, k = 0; i < found.texts.n; i++, k++) {
		while (k < all.n && strcmp(all.list[k], found.texts.list[i]) != 0)
			k++;
		assert_true(k < all.n);
	}
	free_texts(&all);
	free_texts(&found.texts);
	alphabet_free(&a);
	spec_file_free(&spec);
}

#define SET                                                                                        \
	"object set\n"                                                                             \
	"op add(key) -> bool : s_add(this, key)\n"                                                 \
	"op remove(key) -> bool : s_remove(this, key)\n"
#define QUEUE                                                                                      \
	"object queue\n"                                                                           \
	"op enqueue(value) : q_put(this, value)\n"                                                 \
	"op dequeue() -> ret if ret else empty : int q_get(this)\n"

static void test_against_all(void **state)
{
	static const char *const specifications[] = {
		SET,
		SET "values key alike 1..3\n",
		SET "values key 3 9\n",
		SET "values key fresh\n",
		QUEUE,
		QUEUE "single q_put\n",
		QUEUE "single q_put q_get\n",
		"object map\n"
		"op cas(key, old, new) -> bool : m_cas(this, key, old, new)\n"
		"values old alike 1..2\nvalues new alike 1..3\n",
		"object map\n"
		"op put(key, value) -> int : m_put(this, key, value)\n"
		"op get(key) -> int : m_get(this, key)\n"
		"values key alike 1..2\nvalues value alike 0..2\n",
	};
	const struct enumerate_bounds bounds[] = { { 2, 2, 2 }, { 3, 3, 0 }, { 4, 1, 1 } };

	for (size_t i = 0; i < sizeof specifications / sizeof *specifications; i++)
		for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++)
			for (unsigned size = 2; size <= (i < 7 ? 4 : 3); size++)
				compare(specifications[i], &bounds[k], size, 0);
}

/* Counted by hand. Queue, two threads of one operation: of two symbols, 3 unordered pairs. Set with
 * two keys: {x k}|{y k}: 3 pairs of the same key; with keys 1 and 2: add|add, remove|remove,
 * add 1|remove 2, add 2|remove 1; the last two are one if the keys are alike. */
static void test_known_numbers(void **state)
{
	const struct enumerate_bounds b = { 2, 1, 0 };

	compare(QUEUE, &b, 2, 3);
	compare(SET, &b, 2, 7);
	compare(SET "values key alike 1..2\n", &b, 2, 6);
	compare(SET "values key 5 6\n", &b, 2, 10);
	compare(QUEUE "single q_put\n", &b, 2, 2);
}

/* What all orders of a client show. */
static void answer_of(const char *specification, const struct client *c,
		      struct sequential_answer *answer)
{
	struct spec_file spec;
	struct alphabet a;
	struct sequential *s;
	struct error e = { "" };

	if (spec_file_parse(&spec, "s.lin", specification, &e) < 0)
		fail_msg("%s", e.message);
	alphabet_make(&a, &spec, 2);
	s = sequential_new(&a);
	assert_non_null(s);
	sequential_run(s, c, answer);
	sequential_free(s);
	alphabet_free(&a);
	spec_file_free(&spec);
}

static void test_sequential_runs(void **state)
{
	/* Symbols of a set with two keys: add 1, add 2, remove 1, remove 2. */
	const struct client removes = { { 2, 2 }, 0, 2, { 1, 1 } };
	const struct client both = { { 0, 2 }, 0, 2, { 1, 1 } };
	const struct client apart = { { 0, 1 }, 0, 2, { 1, 1 } };
	const struct client vain = { { 2, 0, 1 }, 1, 2, { 1, 1 } };
	/* Of a queue: enqueue, dequeue. */
	const struct client takes = { { 1, 1, 0 }, 0, 2, { 2, 1 } };
	const struct client enough = { { 0, 1, 1, 0 }, 1, 2, { 2, 1 } };
	struct sequential_answer a;

	answer_of(SET, &removes, &a);
	assert_false(a.moves);
	assert_int_equal(a.conflicts, 0);
	answer_of(SET, &both, &a);
	assert_true(a.moves && a.before && !a.stuck);
	assert_int_equal(a.conflicts, 3);
	answer_of(SET, &apart, &a);
	assert_int_equal(a.conflicts, 1);
	answer_of(SET, &vain, &a);
	assert_false(a.before);
	answer_of(QUEUE, &takes, &a);
	assert_false(a.stuck);
	answer_of(QUEUE "waits q_get\n", &takes, &a);
	assert_true(a.stuck);
	answer_of(QUEUE "waits q_get\n", &enough, &a);
	assert_false(a.stuck);
	answer_of("object deque\nop push_front(v) : a(this, v)\nop pop_back() -> int : b(this)\n",
		  &enough, &a);
	assert_true(a.moves);
}

static void test_script(void **state)
{
	struct client c = { { 0, 0, 1, 1 }, 1, 2, { 1, 2 } };
	struct spec_file spec;
	struct alphabet a;
	struct script s;
	struct error e;
	char *text;

	assert_int_equal(spec_file_parse(&spec, "s.lin", QUEUE, &e), 0);
	alphabet_make(&a, &spec, 2);
	script_make(&a, &c, &s);
	text = script_text(&spec, &s);
	assert_string_equal(text, "[enqueue(1)] {enqueue(2)}|{dequeue() dequeue()} "
				  "[dequeue() dequeue() dequeue()]");
	free(text);
	script_hoist(&s, 2);
	script_remove(&s, script_size(&s) - 1);
	text = script_text(&spec, &s);
	assert_string_equal(text, "[enqueue(1) dequeue()] {enqueue(2)}|{dequeue()} "
				  "[dequeue() dequeue()]");
	free(text);
	script_sink(&s, 2);
	text = script_text(&spec, &s);
	assert_string_equal(text,
			    "[enqueue(1) dequeue()] {enqueue(2)} [dequeue() dequeue() dequeue()]");
	free(text);
	script_hoist(&s, 1);
	assert_int_equal(s.nthreads, 0);
	script_remove(&s, 0);
	text = script_text(&spec, &s);
	assert_string_equal(text, "[dequeue() enqueue(2)]  [dequeue() dequeue() dequeue()]");
	free(text);
	alphabet_free(&a);
	spec_file_free(&spec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_all),
		cmocka_unit_test(test_known_numbers),
		cmocka_unit_test(test_sequential_runs),
		cmocka_unit_test(test_script),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

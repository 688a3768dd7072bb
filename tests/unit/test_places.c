/* SPDX-License-Identifier: MIT
 *
 * Traces of many classes: any of them is found from the places that are kept, which take no more room the
 * more there are.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <malloc.h>

#include "run/places.h"
#include "trace_cases.h"

static uint64_t random_below(uint64_t *seed, uint64_t limit)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return (*seed >> 33) % limit;
}

/* ---- places alone: records of 10 bytes, behind 5 others ---- */

struct model {
	struct places places;
	uint32_t *keep; /* by class */
	uint32_t met, most; /* most: classes that were gone over at once */
};

static uint64_t record_of(uint32_t class)
{
	return 5 + 10ULL * class;
}

static void go(struct model *m, uint32_t n)
{
	struct places *p = &m->places;
	uint32_t from;

	places_go(p, n);
	assert_true(p->here.class <= n);
	from = p->here.class;
	while (p->here.class < n) {
		uint32_t class = p->here.class + 1;

		p->here.next = record_of(class);
		places_pass(p, m->keep[class], m->keep[class] + 1);
		p->here.next += 10;
		assert_int_equal(p->here.class, class);
		if (class > m->met) {
			m->met = class;
			places_keep(p);
		}
	}
	m->most = n - from > m->most ? n - from : m->most;
}

/* The chain of a class, from all that is known of all before it. */
static void check_place(const struct model *m, uint32_t n)
{
	const struct place *h = &m->places.here;
	uint32_t need = UINT32_MAX, i = h->nchain;

	assert_int_equal(h->class, n);
	assert_int_equal(h->next, record_of(n) + 10);
	assert_int_equal(h->total, m->keep[n] + 1);
	for (uint32_t class = n; class && need; class--) {
		if (m->keep[class] >= need)
			continue;
		need = m->keep[class];
		assert_true(i > 0);
		i--;
		assert_int_equal(h->chain[i].class, class);
		assert_int_equal(h->chain[i].keep, need);
		assert_int_equal(h->chain[i].offset, record_of(class));
	}
	assert_int_equal(i, 0);
}

/* Beginnings as in a depth-first search whose executions are about so long. */
static void check_model(uint32_t classes, uint32_t deep)
{
	struct model m = { .keep = calloc(classes + 1UL, sizeof *m.keep) };
	uint64_t seed = classes + deep, pieces = 0;

	places_begin(&m.places, record_of(1));
	for (uint32_t i = 2; i <= classes; i++) {
		uint32_t total = m.keep[i - 1] + 1;

		m.keep[i] = random_below(&seed, 2 * deep) < total ? (uint32_t)random_below(&seed, total + 1) : total;
	}
	for (uint32_t i = 1; i <= classes; i += 1 + (uint32_t)random_below(&seed, 3)) {
		go(&m, i);
		check_place(&m, i);
		if (random_below(&seed, 100) == 0) {
			uint32_t back = 1 + (uint32_t)random_below(&seed, i);

			go(&m, back);
			check_place(&m, back);
		}
	}
	assert_true(m.most <= m.places.distance + 2);
	for (uint32_t i = 0; i < 1000; i++) {
		uint32_t n = 1 + (uint32_t)random_below(&seed, m.met);

		go(&m, n);
		check_place(&m, n);
		assert_true(m.most <= m.places.distance + 2);
	}
	for (uint32_t i = 0; i < m.places.n; i++)
		pieces += m.places.kept[i].nchain;
	assert_true(pieces <= 1U << 15);
	go(&m, 1);
	check_place(&m, 1);
	places_free(&m.places);
	free(m.keep);
}

static void test_model(void **state)
{
	check_model(1, 1);
	check_model(10, 1);
	check_model(20000, 1);
	check_model(20000, 10);
	check_model(20000, 1000);
	check_model(1000, 100000); /* chains of which few have room */
}

/* ---- in a trace ---- */

enum { LENGTH = 12 };

/* Tables grow between classes; event j of class i has the value that it has in the class it was first in. */
static void write_many(struct writer *w, unsigned classes, unsigned char (*values)[LENGTH])
{
	uint64_t seed = 1;

	write_tables(w);
	for (unsigned i = 0; i < classes; i++) {
		unsigned keep = i ? (unsigned)random_below(&seed, LENGTH) : 0;

		if (i % 1000 == 999)
			writer_site(w, LP_EV_READ, 0, 4, 1, 0x3000 + i, 0);
		class_begin(w, keep, LENGTH - keep);
		for (unsigned j = 0; j < LENGTH; j++) {
			values[i][j] = j < keep ? values[i - 1][j] : (unsigned char)random_below(&seed, 256);
			if (j >= keep)
				access_to(w, j & 1 ? READ : WRITE, j == keep ? (int)(j / 3 % 2) : -1, 0, values[i][j]);
		}
		class_end_ok(w);
	}
	writer_close(w);
}

static void check_values(const struct trace *t, unsigned class, unsigned char (*values)[LENGTH])
{
	assert_int_equal(t->number, class);
	assert_int_equal(t->nevents, LENGTH);
	for (unsigned j = 0; j < LENGTH; j++)
		assert_int_equal(t->events[j].value[0], values[class - 1][j]);
}

static void test_any_order(void **state)
{
	enum { CLASSES = 30000 };
	unsigned char (*values)[LENGTH] = calloc(CLASSES, sizeof *values);
	struct trace t = { 0 };
	uint64_t seed = 7;
	struct writer w;
	struct error e;
	struct run *run;

	write_many(&w, CLASSES, values);
	run = open_run(&w);
	for (unsigned i = 0; i < 3000; i++) {
		unsigned class = 1 + (unsigned)random_below(&seed, (i + 1) * 10);

		assert_int_equal(run_load(run, class, &t, &e), 1);
		check_values(&t, class, values);
		if (i % 3 == 0 && class < CLASSES) {
			assert_int_equal(run_next(run, &t, &e), 1);
			check_values(&t, class + 1, values);
		}
	}
	for (unsigned round = 0; round < 2; round++) {
		run_rewind(run);
		for (unsigned i = 1; i <= CLASSES; i++) {
			assert_int_equal(run_next(run, &t, &e), 1);
			check_values(&t, i, values);
		}
		assert_int_equal(run_next(run, &t, &e), 0);
	}
	for (unsigned i = CLASSES; i > CLASSES - 1000; i--) {
		assert_int_equal(run_load(run, i, &t, &e), 1);
		check_values(&t, i, values);
	}
	assert_int_equal(run->nsites, 12 + CLASSES / 1000);
	trace_free(&t);
	run_close(run);
	writer_remove(&w);
	free(values);
}

/* The class behind which the trace is damaged, and all before it, can be read; what is behind it never. */
static void test_damage(void **state)
{
	enum { CLASSES = 20000 };
	unsigned char (*values)[LENGTH] = calloc(CLASSES, sizeof *values);
	struct trace t = { 0 };
	struct error e = { "" };
	uint64_t seed = 3;
	struct writer w;
	struct run *run;
	unsigned whole = 0;
	char message[sizeof e.message];

	write_many(&w, CLASSES, values);
	for (size_t at = w.used / 2; !whole; at++) { /* its number is wrong */
		if (w.data[at] != LP_REC_CLASS || w.data[at + 1] > 0x7f || w.data[at + w.data[at + 1] + 2] != LP_REC_CLASS)
			continue;
		w.data[at + 2] ^= 1;
		writer_trace_bytes(&w, w.data, w.used);
		run = open_run(&w);
		whole = count_classes(run, &e, &(int){ 0 });
		if (strstr(e.message, "expected number"))
			break;
		run_close(run);
		w.data[at + 2] ^= 1;
		whole = 0;
	}
	assert_true(whole > 1000 && whole < CLASSES - 1000);
	strcpy(message, e.message);
	for (unsigned i = 0; i < 300; i++) {
		unsigned class = 1 + (unsigned)random_below(&seed, whole);

		assert_int_equal(run_load(run, class, &t, &e), 1);
		check_values(&t, class, values);
		if (i % 10)
			continue;
		assert_int_equal(run_load(run, i % 20 ? whole + 1 : UINT64_MAX, &t, &e), -1);
		assert_string_equal(e.message, message);
		assert_int_equal(run_load(run, whole, &t, &e), 1);
		check_values(&t, whole, values);
	}
	trace_free(&t);
	run_close(run);
	writer_remove(&w);
	free(values);
}

static size_t heap(void)
{
	struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* A million classes take no more memory than a hundred thousand. */
static void test_memory(void **state)
{
	enum { FEW = 100000, MANY = 1000000 };
	struct trace t = { 0 };
	struct writer w;
	struct error e;
	struct run *run;
	size_t before, few = 0, many;

	write_tables(&w);
	for (unsigned i = 0; i < MANY; i++) {
		class_begin(&w, i ? i % 5 : 0, 5 - (i ? i % 5 : 0));
		for (unsigned j = i ? i % 5 : 0; j < 5; j++)
			access_to(&w, WRITE, -1, 0, j);
		class_end_ok(&w);
	}
	writer_close(&w);
	before = heap();
	run = open_run(&w);
	for (unsigned i = 1; i <= MANY; i++) {
		assert_int_equal(run_next(run, &t, &e), 1);
		if (i == FEW)
			few = heap() - before;
	}
	assert_int_equal(run_next(run, &t, &e), 0);
	many = heap() - before;
	if (many > few + few / 2 || many > 4 << 20)
		fail_msg("%zu bytes for %d classes, %zu for %d", few, FEW, many, MANY);
	trace_free(&t);
	run_close(run);
	writer_remove(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_any_order),
		cmocka_unit_test(test_damage),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

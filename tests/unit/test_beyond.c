/* SPDX-License-Identifier: MIT
 *
 * What other threads would have done after an early end, looked up in other classes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/beyond.h"
#include "repair/order.h"
#include "repair_traces.h"

/* A trace from text, blanks do not count: a digit is the thread of the accesses that follow; R and W are of
 * variable 0, r and w of 1, C and E call and return, J joins, X is the end of the thread, ! the fault. */
static void make(struct maker *m, const char *text, int64_t read)
{
	unsigned thread = 0;

	maker_init(m);
	m->t.outcome.kind = LP_OUT_OK;
	for (const char *p = text; *p; p++) {
		uint32_t i = 0;

		switch (*p) {
		case 'R':
		case 'r':
			i = make_read(m, thread, *p == 'r', (uint32_t)*p);
			m->t.events[i].value[0] = (uint64_t)read;
			break;
		case 'W':
		case 'w':
			make_write(m, thread, *p == 'w', (uint32_t)*p);
			break;
		case 'C':
			make_call(m, thread, 1, 0, 0);
			break;
		case 'E':
			make_return(m, thread, 0, 0);
			break;
		case 'J':
			make_event(m, thread, LP_EV_JOIN, 'J');
			break;
		case 'X':
			make_event(m, thread, LP_EV_EXIT, 'X');
			break;
		case '!':
			m->t.outcome.kind = LP_OUT_ABORT;
			m->t.outcome.thread = thread;
			break;
		case ' ':
			break;
		default:
			thread = (unsigned)(*p - '0');
		}
	}
}

/* Adds what is known of `ended` to it: the kinds of the events that come, or NULL if it is not wanted. */
static const char *added(const char *ended, bool operations, const char *const *others)
{
	static char text[64];
	struct beyond *b = beyond_new(operations);
	struct maker m, other;
	bool wanted;
	uint32_t n = 0;

	make(&m, ended, 0);
	m.t.number = 7;
	wanted = beyond_want(b, &m.t);
	for (; *others; others++) {
		make(&other, *others + 1, **others - '0');
		beyond_see(b, &other.t);
		maker_free(&other);
	}
	assert_int_equal(beyond_left(b), wanted);
	assert_false(beyond_wanted(b, 6));
	assert_int_equal(beyond_wanted(b, 7), wanted);
	assert_false(beyond_wanted(b, 7));
	if (wanted)
		beyond_add(b, &m.t);
	assert_int_equal(m.t.nbeyond, m.t.nadded);
	for (uint32_t i = m.t.nevents - m.t.nbeyond; i < m.t.nevents; i++)
		text[n++] = m.t.events[i].kind == LP_EV_RETURN ? 'E'
			    : m.t.events[i].kind == LP_EV_CALL ? 'C'
							       : (char)m.t.events[i].site;
	text[n] = '\0';
	trace_drop_end(&m.t);
	assert_int_equal(m.t.nbeyond, 0);
	maker_free(&m);
	beyond_free(b);
	return wanted ? text : NULL;
}

#define ADDED(ended, operations, ...) added(ended, operations, (const char *const[]){ __VA_ARGS__, NULL })

static void test_found(void **state)
{
	(void)state;
	/* The first character of another class is what its reads give. */
	assert_string_equal(ADDED("0W 1R!", false, "00W 1R 0wR 0X"), "wR");
	assert_string_equal(ADDED("0W 1R!", false, "00W 1R"), "");
	/* It has read something else before. */
	assert_string_equal(ADDED("0R 1R!", false, "10Rw 1R"), "");
	assert_string_equal(ADDED("0R 1R!", false, "10RW", "00Rw"), "w");
	/* The longest, or the first one that is known to be whole. */
	assert_string_equal(ADDED("0W 1R!", false, "00Ww", "00WwR", "00Wr"), "wR");
	assert_string_equal(ADDED("0W 1R!", false, "00WwX", "00WwRrX"), "w");
	/* Two threads. */
	assert_string_equal(ADDED("0W 1w 2R!", false, "00W 1w 0w 1W 0X1X"), "wW");
}

static void test_how_far(void **state)
{
	(void)state;
	assert_string_equal(ADDED("0W 1R!", false, "00WwJR"), "w");
	assert_string_equal(ADDED("0CW 1R!", true, "00CWwEr"), "wE");
	assert_string_equal(ADDED("0W 1R!", true, "00WwCR"), "w");
	assert_string_equal(ADDED("0CW 1R!", false, "00CWwErCRX"), "wErCR");
}

static void test_not_wanted(void **state)
{
	(void)state;
	assert_null(ADDED("0WX 1R!", false, "00WX"));
	assert_null(ADDED("1WR!", false, "01WRw"));
}

/* Nothing comes after what has not happened. */
static void test_order(void **state)
{
	struct order o = { 0 };
	struct maker m;

	(void)state;
	make(&m, "0W 1R 0W 1W", 0);
	m.t.nadded = m.t.nbeyond = 2;
	order_build(&o, &m.t);
	assert_int_equal(o.edge_start[1] - o.edge_start[0], 2); /* 0W is before 1R and before 1W */
	assert_int_equal(o.edge_start[3] - o.edge_start[2], 0);
	order_free(&o);
	maker_free(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found),
		cmocka_unit_test(test_how_far),
		cmocka_unit_test(test_not_wanted),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

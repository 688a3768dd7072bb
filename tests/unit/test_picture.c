/* SPDX-License-Identifier: MIT
 *
 * What pictures show, that their size is bounded, and that text of a history is escaped in the
 * markup.
 */
#include "format_cases.h"
#include "lin/picture/picture.h"

static struct history history_of(const char *text)
{
	struct history h;
	struct error e;

	history_init(&h);
	if (format_parse(&h, "in", text, strlen(text), NULL, &e) < 0)
		fail_msg("%s", e.message);
	return h;
}

static char *draw(void (*to_markup)(FILE *, const struct picture *), const struct picture *p)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	to_markup(to, p);
	fclose(to);
	return text;
}

static int count(const char *text, const char *what)
{
	int n = 0;

	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

static void test_layout(void **state)
{
	struct history h =
		history_of("0 5 6 push(4)\n0 7 8 push(3)\n1 10 15 pop -> 5\n2 11 16 pop -> 4\n"
			   "0 13 - push(5)\n0 14 16 push(6)\n");
	uint32_t witness[] = { 3, 0 };
	struct lin_result result = { .verdict = LIN_VIOLATION, .witness = witness, .nwitness = 2 };
	struct picture p;

	picture_init(&p, &h, &result, "x", 100);
	assert_int_equal(p.nops, 6);
	assert_int_equal(p.omitted, 0);
	assert_int_equal(p.ngaps, 0);
	assert_int_equal(p.nrows, 3);
	assert_int_equal(p.rows[2].thread, 2);
	/* Two operations of thread 0 overlap. */
	assert_int_equal(p.rows[0].lanes, 2);
	assert_int_equal(p.rows[1].lanes, 1);
	for (size_t i = 0; i < p.nops; i++) {
		const struct history_op *a = &h.ops[p.ops[i].op];

		assert_true(p.ops[i].x < p.ops[i].end && p.ops[i].end <= p.width);
		for (size_t k = 0; k < p.nops; k++) {
			/* A precedes B in the picture exactly if it does in the history. */
			const struct history_op *b = &h.ops[p.ops[k].op];

			assert_int_equal(a->ret < b->call, p.ops[i].end < p.ops[k].x);
		}
	}
	assert_int_equal(p.ops[3].witness, 1);
	assert_int_equal(p.ops[0].witness, 2);
	assert_int_equal(p.illegal, 3);
	picture_free(&p);
	history_free(&h);
}

static void test_order_points(void **state)
{
	struct history h = history_of("0 0 9 a\n1 1 8 b\n2 2 3 c\n");
	uint32_t order[] = { 2, 1, 0 };
	struct lin_result result = { .verdict = LIN_OK, .order = order, .norder = 3 };
	struct picture p;
	double *points;

	picture_init(&p, &h, &result, "x", 100);
	points = picture_points(&p);
	assert_true(points[2] < points[1] && points[1] < points[0]);
	for (size_t i = 0; i < 3; i++)
		assert_true(points[i] >= p.ops[i].x && points[i] <= p.ops[i].end);
	free(points);
	picture_free(&p);
	history_free(&h);
}

/* The order is drawn with its numbers, and what the object holds after each operation is beside it. */
static void test_states(void **state)
{
	struct history h = history_of("0 0 9 add(1) -> true\n1 1 8 add(1) -> false\n"
				      "2 10 11 add(2) -> true\n0 10 12 remove(1) -> true\n");
	const struct lin_options options = { .specification = "set", .linearization = true };
	struct lin_result result;
	struct error e;
	struct picture p;
	char *page;

	assert_int_equal(lin_check(&h, &options, &result, &e), 0);
	assert_int_equal(result.norder, 4);
	picture_init(&p, &h, &result, "x", 100);
	picture_add_states(&p, &options);
	assert_string_equal(picture_state(&p, &p.ops[0]), "{1}");
	assert_string_equal(picture_state(&p, &p.ops[1]), "{1}");
	page = draw(picture_html, &p);
	assert_int_equal(count(page, "class=\"number order\""), 4 + 1); /* and the legend's */
	assert_int_equal(count(page, "data-s=\"{1}\""), 2);
	assert_int_equal(count(page, "data-s=\"{2}\""), 1);
	free(page);
	picture_free(&p);
	lin_result_free(&result);
	history_free(&h);
}

/* Of a witness, the longest order that is possible is told. */
static void test_witness_states(void **state)
{
	struct history h = history_of("0 5 6 push(4)\n0 7 8 push(3)\n2 11 16 pop -> 4\n");
	const struct lin_options options = { .specification = "stack",
					     .linearization = true,
					     .witness = true };
	struct lin_result result;
	struct error e;
	struct picture p;
	char *page;

	assert_int_equal(lin_check(&h, &options, &result, &e), 0);
	assert_int_equal(result.verdict, LIN_VIOLATION);
	assert_int_equal(result.norder, 2);
	picture_init(&p, &h, &result, "x", 100);
	picture_add_states(&p, &options);
	assert_string_equal(picture_state(&p, &p.ops[1]), "[4, 3]");
	assert_null(picture_state(&p, &p.ops[2]));
	page = draw(picture_html, &p);
	assert_non_null(strstr(page, "<code>[4, 3]</code>"));
	assert_int_equal(count(page, "class=\"n none\""), 1);
	free(page);
	picture_free(&p);
	lin_result_free(&result);
	history_free(&h);
}

static void expect_states(const char *specification, const char *text, const char *last)
{
	struct history h = history_of(text);
	const struct lin_options options = { .specification = specification };
	uint32_t order[32];
	struct error e;
	char **states;

	for (uint32_t i = 0; i < h.nops; i++)
		order[i] = i;
	states = lin_states(&h, &options, order, h.nops, NULL, &e);
	assert_non_null(states);
	if (last)
		assert_string_equal(states[h.nops - 1], last);
	else
		assert_null(states[h.nops - 1]);
	lin_states_free(states, h.nops);
	history_free(&h);
}

static void test_state_texts(void **state)
{
	char many[1024];
	size_t n = 0;

	expect_states("queue", "0 0 1 enq(7)\n0 2 3 enq(\"a\")\n0 4 5 deq -> 7\n", "[\"a\"]");
	expect_states("counter(3)", "0 0 1 inc -> 4\n", "4");
	expect_states("mutex", "0 0 1 lock\n", "held");
	expect_states("map", "0 0 1 put(1, 2) -> nil\n0 2 3 put(5, \"x\") -> nil\n",
		      "{1: 2, 5: \"x\"}");
	expect_states("multiset", "0 0 1 add(4)\n0 2 3 add(4)\n0 4 5 add(9)\n", "{4 (2 times), 9}");
	/* Not possible: from there on nothing is known. */
	expect_states("stack", "0 0 1 pop -> 3\n0 2 3 push(1)\n", NULL);
	for (int i = 1; i <= 20; i++)
		n += (size_t)snprintf(many + n, sizeof many - n, "0 %d %d push(%d)\n", 2 * i,
				      2 * i + 1, i);
	expect_states("stack", many, "[1, 2, 3, 4, 5, 6, (8 more), 15, 16, 17, 18, 19, 20]");
}

/* The texts of the axis do not touch, and long times are told from the first. */
static void test_axis(void **state)
{
	struct history h = history_of("0 1700000000000 1700000000001 a\n"
				      "1 1700000000000 1700000000005 b\n0 1700000000004 - c\n");
	struct lin_result result = { .verdict = LIN_OK };
	struct picture p;
	struct picture_tick *ticks;
	int64_t base;
	size_t n;

	picture_init(&p, &h, &result, "x", 100);
	ticks = picture_ticks(&p, 6, &n, &base);
	assert_true(n >= 3);
	assert_true(base == 1700000000000 && ticks[0].time == base);
	for (size_t i = 1; i < n; i++) {
		assert_true(ticks[i].time > ticks[i - 1].time);
		assert_true(ticks[i].x >= ticks[i - 1].x + 6);
	}
	free(ticks);
	picture_free(&p);
	history_free(&h);
}

static struct history long_history(int n)
{
	struct history h;

	history_init(&h);
	history_object(&h, "object", NULL);
	for (int i = 0; i < n; i++) {
		struct history_op *op = history_add(&h);

		op->thread = i % 4;
		op->call = 10 * (int64_t)i;
		op->ret = op->call + 25;
		op->method = history_method(&h, "push");
		op->args[op->nargs++] = (struct value){ VALUE_INT, i };
	}
	return h;
}

static void test_bounded(void **state)
{
	struct history h = long_history(50000);
	uint32_t witness[] = { 100, 40000 };
	struct lin_result result = { .verdict = LIN_VIOLATION, .witness = witness, .nwitness = 2 };
	size_t shown = 0, hidden = 0;
	struct picture p;
	char *page;

	picture_init(&p, &h, &result, "x", 200);
	assert_true(p.nops <= 200 && p.nops > 50);
	assert_int_equal(p.omitted, 50000 - p.nops);
	for (size_t i = 0; i < p.nops; i++)
		shown += p.ops[i].witness != 0;
	assert_int_equal(shown, 2);
	for (size_t i = 0; i < p.ngaps; i++)
		hidden += p.gaps[i].count;
	assert_int_equal(hidden, p.omitted);
	page = draw(picture_html, &p);
	assert_true(strlen(page) < 200000);
	free(page);
	picture_free(&p);

	/* A witness larger than the picture, and a history without one. */
	picture_init(&p, &h, &result, "x", 1);
	assert_int_equal(p.nops, 1);
	picture_free(&p);
	result = (struct lin_result){ .verdict = LIN_OK };
	picture_init(&p, &h, &result, "x", 200);
	assert_int_equal(p.nops, 200);
	picture_free(&p);
	history_free(&h);
}

static void test_empty(void **state)
{
	struct history h = history_of("");
	struct lin_result result = { .verdict = LIN_OK };
	struct picture p;
	char *text;

	picture_init(&p, &h, &result, "x", 100);
	text = draw(picture_html, &p);
	assert_non_null(strstr(text, "0 operations"));
	free(text);
	text = draw(picture_svg, &p);
	assert_non_null(strstr(text, "</svg>"));
	free(text);
	picture_free(&p);
	history_free(&h);
}

static void test_markup_is_escaped(void **state)
{
	struct history h =
		history_of("0 0 1 f(\"</script><script>alert(1)</script>\", \"' onfocus='x\")\n"
			   "1 0 1 <b>(\"\\xff\\x01&amp;\") -> \"\\\"><i>\"\n");
	uint32_t witness[] = { 0, 1 };
	struct lin_result result = { .verdict = LIN_VIOLATION,
				     .witness = witness,
				     .nwitness = 2,
				     .why = "<script>\"'&\xc3\xa9\xe2\x82" };
	struct picture p;
	char *text;

	picture_init(&p, &h, &result, "</title><script>", 100);
	text = draw(picture_html, &p);
	assert_int_equal(count(text, "<script>"), 1); /* its own */
	assert_int_equal(count(text, "</script>"), 1);
	assert_int_equal(count(text, "</title>"), 1);
	assert_int_equal(count(text, "<i>"), 0);
	assert_int_equal(count(text, "<b>"), 0);
	assert_int_equal(count(text, "' onfocus"), 0);
	assert_non_null(strstr(text, "&lt;script&gt;&quot;&#39;&amp;\xc3\xa9\xef\xbf\xbd"));
	free(text);
	text = draw(picture_svg, &p);
	assert_int_equal(count(text, "<script"), 0);
	assert_int_equal(count(text, "<b>"), 0);
	assert_null(strchr(text, '\xff'));
	free(text);
	picture_free(&p);
	history_free(&h);
}

static void expect_escaped(const char *s, size_t n, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	picture_escape(to, s, n);
	fclose(to);
	assert_string_equal(text, expected);
	free(text);
}

static void test_escape(void **state)
{
	expect_escaped("a<b>&\"'", 7, "a&lt;b&gt;&amp;&quot;&#39;");
	expect_escaped("\xe2\x82\xac\xf0\x9f\x98\x80", 7, "\xe2\x82\xac\xf0\x9f\x98\x80");
	/* Cut off, overlong, a surrogate, beyond Unicode, controls, a noncharacter. */
	expect_escaped("\xe2\x82", 2, "\xef\xbf\xbd\xef\xbf\xbd");
	expect_escaped("\xc0\xaf", 2, "\xef\xbf\xbd\xef\xbf\xbd");
	expect_escaped("\xed\xa0\x80", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	expect_escaped("\xf4\x90\x80\x80", 4, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	expect_escaped("\x01\x7f\0", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	expect_escaped("\xef\xbf\xbf", 3, "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_order_points),
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_witness_states),
		cmocka_unit_test(test_state_texts),
		cmocka_unit_test(test_axis),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_markup_is_escaped),
		cmocka_unit_test(test_escape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

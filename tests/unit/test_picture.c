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
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_markup_is_escaped),
		cmocka_unit_test(test_escape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * What names of functions say, and the graph of sequential orders.
 */
#include "lin/lin.h"
#include "lin/orders.h"
#include "spec/op_name.h"
#include "spec/returns.h"

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect_success(const char *body, bool succeeds, int64_t success)
{
	char *text = NULL;
	struct returns r;

	assert_true(asprintf(&text, "int pop(struct s *s, int *out)\n{ %s }\n", body) > 0);
	returns_read(text, "pop", 1, "out", &r);
	assert_true(r.known);
	assert_int_equal(r.succeeds, succeeds);
	if (succeeds)
		assert_int_equal(r.success, success);
	free(text);
}

/* What is returned once something was stored through the pointer. */
static void test_success(void **state)
{
	expect_success("if (!s->n) return -1; *out = s->v[--s->n]; return 0;", true, 0);
	expect_success("if (!s->n) return 1; *out = s->v[--s->n]; return 0;", true, 0);
	expect_success("if (!s->n) return 0; *out = s->v[--s->n]; return 1;", true, 1);
	expect_success("int r = -1; if (s->n) { *out = s->v[--s->n]; r = 0; } return r;", true, 0);
	expect_success("int ok = 0; if (s->n) { *out = s->v[--s->n]; ok = 1; } return ok;", true,
		       1);
	expect_success("if (!s->n) return -EAGAIN; *out = 1; return 0;", true, 0);
	/* It is not known which is which, or there is nothing to tell apart. */
	expect_success("*out = s->n; return 0;", false, 0);
	expect_success("int r = 0; if (s->n) *out = 1; else r = -1; return r;", false, 0);
	expect_success("if (s->n) *out = s->v[0]; return s->n > 0;", false, 0);
	expect_success("if (s->n) *out = s->v[0]; return s->n;", false, 0);
	expect_success("return take(s, out);", false, 0);
}

/* A variable that is returned has all that is assigned to it. */
static void test_assigned(void **state)
{
	static const char text[] = "int put(int k) { int r = -1; if (k) { r = 0; } return r; }\n"
				   "int has(int k) { int f = 0; if (k) f = 1; return f; }\n"
				   "int take(void) { int r = 0; if (n) r = v[0]; return r; }\n"
				   "int sum(void) { int r = 0; r += v[0]; return r; }\n"
				   "int ask(void) { int r = 0; look(&r); return r; }\n"
				   "int arg(int k) { return k; }\n";
	struct returns r;

	returns_read(text, "put", 1, NULL, &r);
	assert_true(r.known && r.zero && r.minus && !r.one && !r.other);
	returns_read(text, "has", 2, NULL, &r);
	assert_true(r.known && r.zero && r.one && !r.minus && !r.other);
	returns_read(text, "take", 3, NULL, &r);
	assert_true(r.known && r.zero && r.other && r.nconstants == 1 && r.constant == 0);
	returns_read(text, "sum", 4, NULL, &r);
	assert_true(r.known && r.other);
	returns_read(text, "ask", 5, NULL, &r);
	assert_true(r.known && r.other);
	returns_read(text, "arg", 6, NULL, &r);
	assert_true(r.known && r.other && !r.nconstants);
}

static void test_names(void **state)
{
	static const struct {
		const char *function;
		enum op_role role;
		const char *operation, *object;
		bool ended;
	} cases[] = {
		{ "list_add", ROLE_ADD, "add", "list", false },
		{ "my_list_try_remove", ROLE_TAKE, "try_remove", "my_list", false },
		{ "add_to_list", ROLE_ADD, "add", "list", false },
		{ "removeFromList", ROLE_TAKE, "remove", "list", false },
		{ "setAdd", ROLE_ADD, "add", "set", false },
		{ "set_contains", ROLE_LOOK, "contains", "set", false },
		{ "queue_is_empty", ROLE_EMPTY, "is_empty", "queue", false },
		{ "deque_push_front", ROLE_ADD, "push_front", "deque", true },
		{ "map_put_if_absent", ROLE_ADD, "put_if_absent", "map", false },
		{ "push", ROLE_ADD, "push", "", false },
		{ "counter_fetch_add", ROLE_ADD, "fetch_add", "counter", false },
		{ "reg_cas", ROLE_CAS, "cas", "reg", false },
		{ "spin_try_lock", ROLE_LOCK, "try_lock", "spin", false },
		{ "release", ROLE_UNLOCK, "release", "", false },
		{ "set", ROLE_ADD, "set", "", false },
		{ "main", ROLE_NONE, "", "", false },
		{ "list_create", ROLE_NONE, "", "", false },
		{ "", ROLE_NONE, "", "", false },
		{ "___", ROLE_NONE, "", "", false },
		{ "account_withdraw", ROLE_OTHER, "withdraw", "account", false },
		{ "account_get_balance", ROLE_GET, "get", "account_balance", false },
		{ "next", ROLE_NONE, "", "", false },
		{ "a_b_c_d_e_f_g_h_i_j_k_l_m_n_add", ROLE_NONE, "", "", false },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct op_name n;

		op_name_read(cases[i].function, &n);
		assert_int_equal(n.role, cases[i].role);
		assert_string_equal(n.operation, cases[i].operation);
		assert_string_equal(n.object, cases[i].object);
		assert_int_equal(n.ended, cases[i].ended);
	}
}

static void test_returns(void **state)
{
	static const char text[] = "#define EMPTY (-7)\n"         /* 1 */
				   "enum { NONE = -99, MORE };\n" /* 2 */
				   "int pop(void);\n"             /* 3 */
				   "int pop(void) { if (x) return (int)EMPTY;"
				   " /* return 5; */ return v->x; }\n"                 /* 4 */
				   "static int\n"                                      /* 5 */
				   "deq(int *out)\n"                                   /* 6 */
				   "{ if (!n) return -EAGAIN; *out = 1; return 0; }\n" /* 7 */
				   "int has(int k) { return find(k) != NULL; }\n"      /* 8 */
				   "int get(void) { int v = NONE; if (n) v = a[n];"
				   " return (v); }\n"                               /* 9 */
				   "int top(void) { return n ? a[n] : INT_MIN; }\n" /* 10 */
				   "int yes(void) { if (a) return 1; return 0; }\n" /* 11 */
				   "int loop(void) { return A; }\n"                 /* 12 */
				   "#define A B\n"
				   "#define B A\n";
	struct returns r;

	(void)state;
	returns_read(text, "pop", 4, NULL, &r);
	assert_true(r.known && r.other && r.nconstants == 1 && r.constant == -7);
	returns_read(text, "pop", 3, NULL, &r);
	assert_false(r.known);
	returns_read(text, "deq", 5, NULL, &r);
	assert_true(r.known && r.error && r.zero && !r.other && !r.one);
	returns_read(text, "has", 8, NULL, &r);
	assert_true(r.known && r.truth && !r.other && !r.nconstants);
	returns_read(text, "get", 9, NULL, &r);
	assert_true(r.known && r.other && r.nconstants == 1 && r.constant == -99);
	returns_read(text, "top", 10, NULL, &r);
	assert_true(r.known && r.other && r.nconstants == 1 && r.constant == INT_MIN);
	returns_read(text, "yes", 11, NULL, &r);
	assert_true(r.known && r.zero && r.one && !r.other && !r.truth);
	returns_read(text, "loop", 12, NULL, &r);
	assert_true(r.known && r.other && !r.nconstants);
	returns_read(text, "pop", 2, NULL, &r);
	assert_false(r.known);
	returns_read(text, "nothing", 1, NULL, &r);
	assert_false(r.known);
	for (size_t n = 0; n < sizeof text; n++) { /* files that are cut anywhere */
		char *cut = strndup(text, n);

		for (unsigned line = 1; line < 14; line++) {
			returns_read(cut, "pop", line, NULL, &r);
			returns_read(cut, "get", line, NULL, &r);
			returns_read(cut, "deq", line, NULL, &r);
		}
		free(cut);
	}
}

static void add(struct history *h, int thread, int64_t call, int64_t ret, uint32_t symbol,
		int64_t result)
{
	struct history_op *op = history_add(h);

	op->thread = thread;
	op->call = call;
	op->ret = ret;
	op->symbol = symbol;
	op->method = history_method(h, "x");
	op->object = 0;
	op->result.tag = ret == TIME_PENDING ? VALUE_UNKNOWN : VALUE_INT;
	op->result.v = result;
}

static enum lin_verdict verdict(const struct history *h)
{
	enum lin_verdict found;
	struct lin_result result;
	struct error e = { "" };

	if (lin_check(h, NULL, &result, &e) < 0)
		fail_msg("%s", e.message);
	found = result.verdict;
	lin_result_free(&result);
	return found;
}

static struct value number(int64_t v)
{
	return (struct value){ VALUE_INT, v };
}

/* From one state to the next by the only object's operation. */
static uint32_t follow(struct orders *o, uint32_t from, uint32_t symbol, int64_t result)
{
	uint32_t to = orders_add(o);

	orders_edge(o, from, to, 0, symbol, number(result));
	return to;
}

static void begin(struct orders *o, struct history *h)
{
	orders_init(o);
	o->root = orders_add(o);
	history_init(h);
	history_object(h, "it", "self");
	h->objects[0].number = 0;
	h->orders = o;
}

/* Two threads take a ticket each: 0 and 1 in the order in which they come. */
static void test_orders(void **state)
{
	struct orders o;
	struct history h;
	uint32_t a, b, edges;

	for (int first = 0; first < 2; first++) {
		begin(&o, &h);
		a = follow(&o, o.root, 10, 0);
		b = follow(&o, o.root, 20, 0);
		orders_edge(&o, a, ORDERS_NOTHING, 0, 20, number(1));
		orders_edge(&o, b, ORDERS_NOTHING, 0, 10, number(1));
		edges = o.nedges;
		orders_edge(&o, b, ORDERS_NOTHING, 0, 10, number(1));
		assert_int_equal(o.nedges, edges);
		add(&h, 1, 0, 10, 10, first);
		add(&h, 2, 20, 30, 20, !first);
		assert_int_equal(verdict(&h), first ? LIN_VIOLATION : LIN_OK);
		h.ops[1].call = 5; /* they overlap */
		assert_int_equal(verdict(&h), LIN_OK);
		h.ops[1].result = h.ops[0].result;
		assert_int_equal(verdict(&h), LIN_VIOLATION);
		h.ops[1].ret = TIME_PENDING;
		assert_int_equal(verdict(&h), LIN_OK);
		h.ops[0].symbol = 30; /* no sequential execution has it */
		assert_int_equal(verdict(&h), LIN_VIOLATION);
		history_free(&h);
		orders_free(&o);
	}
}

/* An operation that never returned may have had any of several results. */
static void test_pending(void **state)
{
	struct orders o;
	struct history h;

	begin(&o, &h);
	follow(&o, follow(&o, o.root, 10, 1), 20, 5);
	follow(&o, follow(&o, o.root, 10, 2), 20, 6);
	add(&h, 1, 0, TIME_PENDING, 10, 0);
	add(&h, 2, 20, 30, 20, 5);
	assert_int_equal(verdict(&h), LIN_OK);
	h.ops[1].result.v = 6;
	assert_int_equal(verdict(&h), LIN_OK);
	h.ops[1].result.v = 7;
	assert_int_equal(verdict(&h), LIN_VIOLATION);
	history_free(&h);
	orders_free(&o);
}

/* What threads do by themselves, and operations of other objects, come in between; also round in
 * circles. */
static void test_silent(void **state)
{
	struct orders o;
	struct history h;
	uint32_t a, b;

	begin(&o, &h);
	a = orders_add(&o);
	b = orders_add(&o);
	orders_edge(&o, o.root, a, ORDERS_SILENT, 0, number(0));
	orders_edge(&o, a, o.root, ORDERS_SILENT, 0, number(0));
	orders_edge(&o, a, b, 1, 10, number(3));
	orders_edge(&o, b, ORDERS_NOTHING, 0, 10, number(4));
	add(&h, 1, 0, 10, 10, 4);
	assert_int_equal(verdict(&h), LIN_OK);
	h.ops[0].result.v = 3; /* of the other object */
	assert_int_equal(verdict(&h), LIN_VIOLATION);
	history_free(&h);
	orders_free(&o);
}

/* What may follow a state that was not left in every way is allowed only if that is asked for. */
static void test_open(void **state)
{
	struct orders o;
	struct history h;
	uint32_t a;

	begin(&o, &h);
	a = follow(&o, o.root, 10, 0);
	orders_open(&o, a);
	orders_open(&o, a);
	assert_int_equal(o.nopen, 1);
	add(&h, 1, 0, 10, 10, 0);
	add(&h, 2, 20, 30, 20, 7);
	assert_int_equal(verdict(&h), LIN_VIOLATION);
	h.lenient = true;
	assert_int_equal(verdict(&h), LIN_OK);
	h.ops[0].result.v = 1; /* all is known of the first state */
	assert_int_equal(verdict(&h), LIN_VIOLATION);
	history_free(&h);
	orders_free(&o);
}

static void test_needs_a_program(void **state)
{
	struct lin_result result;
	struct history h;
	struct error e;

	history_init(&h);
	history_object(&h, "it", "self");
	add(&h, 1, 0, 1, 0, 0);
	assert_int_equal(lin_check(&h, NULL, &result, &e), -1);
	assert_non_null(strstr(e.message, "self"));
	history_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),           cmocka_unit_test(test_returns),
		cmocka_unit_test(test_orders),          cmocka_unit_test(test_pending),
		cmocka_unit_test(test_success),         cmocka_unit_test(test_assigned),
		cmocka_unit_test(test_silent),          cmocka_unit_test(test_open),
		cmocka_unit_test(test_needs_a_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

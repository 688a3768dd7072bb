/* SPDX-License-Identifier: MIT
 *
 * The language of specification files: what is accepted, what is refused and where, and that no
 * text crashes the reader.
 */
#include "spec/file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SET "object set\nop add(k) : list_add(k)\n"

static void parse(struct spec_file *f, const char *text)
{
	struct error e = { "" };

	if (spec_file_parse(f, "s.lin", text, &e) < 0)
		fail_msg("%s", e.message);
}

static void test_whole_file(void **state)
{
	struct spec_file f;
	const struct spec_op *op;

	parse(&f, "# a comment\r\n"
		  "object set            # built in\n"
		  "\n"
		  "op  add(key) -> bool : list_add(_, key)\n"
		  "object bounded-queue(4) relaxed try_deq by q\n"
		  "op try_deq() -> out if ret == -1 else empty : static int  * deq(q, out, _)\n"
		  "op put(k) : put(q, *k, _)");
	assert_int_equal(f.nobjects, 2);
	assert_string_equal(f.objects[0].specification, "set");
	assert_string_equal(f.objects[0].by, "this");
	assert_string_equal(f.objects[1].specification, "bounded-queue(4) relaxed try_deq");
	assert_string_equal(f.objects[1].by, "q");
	assert_int_equal(f.nops, 3);
	op = &f.ops[0];
	assert_string_equal(op->name, "add");
	assert_string_equal(op->function, "list_add");
	assert_int_equal(op->object, 0);
	assert_int_equal(op->nargs, 1);
	assert_int_equal(op->nparams, 2);
	assert_int_equal(op->result.then.kind, TERM_BOOL);
	assert_int_equal(op->place.line, 4);
	assert_int_equal(op->function_place.column, 24);
	op = &f.ops[1];
	assert_string_equal(op->function, "deq");
	assert_true(op->result.conditional);
	assert_int_equal(op->result.compare, CMP_EQ);
	assert_int_equal(op->result.right, -1);
	assert_string_equal(op->result.then.name, "out");
	assert_string_equal(op->result.left.name, "ret");
	assert_int_equal(op->result.otherwise.kind, TERM_EMPTY);
	assert_true(spec_is_object(&f, op, "q"));
	assert_true(spec_is_object(&f, op, "this"));
	assert_false(spec_is_object(&f, op, "out"));
	op = &f.ops[2];
	assert_true(op->params[1].pointee);
	assert_false(op->params[2].pointee);
	assert_int_equal(op->result.then.kind, TERM_VOID);
	spec_file_free(&f);
}

static void test_client_lines(void **state)
{
	struct spec_file f;
	const struct spec_clients *c = &f.clients;

	parse(&f, "object map\n"
		  "op put(key, value) -> int : m_put(this, key, value)\n"
		  "op cas(key, old, new) -> bool : m_cas(this, key, old, new)\n"
		  "new int m_init(this, 4, NULL)\n"
		  "check bool m_valid(this) # at the end\n"
		  "thread m_enter() m_leave()\n"
		  "values key alike -1..2\n"
		  "values value 3 0x10 7\n"
		  "values old fresh\n"
		  "values new 0..0\n"
		  "waits m_put m_cas\n"
		  "single m_put\n"
		  "single m_cas m_put\n");
	assert_string_equal(c->create.function, "m_init");
	assert_int_equal(c->create.nargs, 3);
	assert_string_equal(c->create.args[0], "this");
	assert_string_equal(c->create.args[1], "4");
	assert_string_equal(c->check.function, "m_valid");
	assert_string_equal(c->begin.function, "m_enter");
	assert_string_equal(c->end.function, "m_leave");
	assert_int_equal(c->nvalues, 4);
	assert_int_equal(c->values[0].kind, VALUES_ALIKE);
	assert_int_equal(c->values[0].n, 4);
	assert_int_equal(c->values[0].list[0], -1);
	assert_int_equal(c->values[1].kind, VALUES_LISTED);
	assert_int_equal(c->values[1].n, 3);
	assert_int_equal(c->values[1].list[1], 16);
	assert_int_equal(c->values[2].kind, VALUES_FRESH);
	assert_int_equal(c->values[3].kind, VALUES_ORDERED);
	assert_int_equal(c->values[3].n, 1);
	assert_int_equal(c->nwaits, 2);
	assert_int_equal(c->nsingles, 3);
	assert_int_equal(c->singles[0].group, 0);
	assert_int_equal(c->singles[2].group, 1);
	spec_file_free(&f);
}

static void test_conditions(void **state)
{
	static const struct {
		const char *text;
		enum spec_compare compare;
		int64_t right;
	} cases[] = {
		{ "ret if ret else empty", CMP_NE, 0 },
		{ "ret if not ret else empty", CMP_EQ, 0 },
		{ "ret if !ret else empty", CMP_EQ, 0 },
		{ "ret if ret != 0x10 else 0", CMP_NE, 16 },
		{ "ret if ret == NULL else void", CMP_EQ, 0 },
		{ "1 if ret < -5 else 0", CMP_LT, -5 },
		{ "true if ret >= 7 else false", CMP_GE, 7 },
		{ "out if ret <= 7 else empty", CMP_LE, 7 },
		{ "empty if out > 7 else out", CMP_GT, 7 },
		{ "int if bool else empty", CMP_NE, 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *text = xasprintf("object self\nop x() -> %s : f(%s)\n", cases[i].text,
				       strstr(cases[i].text, "out") ? "out" : "_");
		struct spec_file f;

		parse(&f, text);
		assert_true(f.ops[0].result.conditional);
		assert_int_equal(f.ops[0].result.compare, cases[i].compare);
		assert_int_equal(f.ops[0].result.right, cases[i].right);
		spec_file_free(&f);
		free(text);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "s.lin:1:1: error: there is no operation" },
		{ "object", "s.lin:1:7: error: expected a specification" },
		{ "object # set", "s.lin:1:8: error: expected a specification" },
		{ "objekt set", "s.lin:1:1: error: expected `object`, `op` or `library`, not "
				"`objekt`; did you mean `object`?" },
		{ "object ./none.so\n", "s.lin:1:8: error: ./none.so: No such file" },
		{ "object set\nop ad(k) : f(k)\n",
		  "s.lin:2:4: error: a set has no operation `ad`; did you mean `add`?" },
		{ "object set\nop add() : f()\n",
		  "s.lin:2:4: error: `add` of a set has 1 argument, not 0" },
		{ "object map\nop replace(k) : f(k)\n",
		  "s.lin:2:4: error: `replace` of a map has 2 to 3 arguments, not 1" },
		{ "object set\nop add(k) -> boll : f(k)\n",
		  "s.lin:2:14: error: `boll` is neither `ret` nor a parameter of f in this line; "
		  "did you mean `bool`?" },
		{ "object set\nop add(k) : f(ths, k)\n",
		  "s.lin:2:15: error: `ths` is neither an argument nor in the result; did you mean "
		  "`this`?" },
		{ "object set by list\nop add(k) : f(lst, k)\n",
		  "s.lin:2:15: error: `lst` is neither an argument nor in the result; did you mean "
		  "`list`?" },
		{ "object set\nop add(k) : f(k, xyzzy)\n",
		  "s.lin:2:18: error: `xyzzy` is neither an argument nor in the result; write "
		  "`_`" },
		{ "object queu\n",
		  "s.lin:1:8: error: there is no specification `queu`; did you mean `queue`?" },
		{ "object xyzzy\n", "s.lin:1:8: error: there is no specification `xyzzy`" },
		{ "object bounded-queue\n", "s.lin:1:8: error: a bounded queue needs a parameter" },
		{ "object counter fetch\n", "s.lin:1:8: error: unexpected \"fetch\"" },
		{ "object set by\n",
		  "s.lin:1:14: error: expected the name of a parameter, not the end of the line" },
		{ "object set by a b\n",
		  "s.lin:1:17: error: expected the end of the line, not `b`" },
		{ "object set\nop", "s.lin:2:3: error: expected the name of an operation" },
		{ "object set\nop a", "s.lin:2:5: error: expected `(`, not the end of the line" },
		{ "object set\nop a(1)",
		  "s.lin:2:6: error: expected the name of an argument, not `1`" },
		{ "object set\nop a(p,q,r,s,t) : f()",
		  "s.lin:2:14: error: an operation has at most 4" },
		{ "object set\nop a() f()",
		  "s.lin:2:8: error: expected `->` and the result, or `:`" },
		{ "object set\nop a() -> : f()", "s.lin:2:11: error: expected a result" },
		{ "object set\nop a() -> x if else : f()", "s.lin:2:21: error: expected `else`" },
		{ "object set\nop a() -> 1 if 2 else 3 : f()",
		  "s.lin:2:16: error: a condition is about" },
		{ "object set\nop a() -> 1 if ret == ret else 3 : f()",
		  "s.lin:2:23: error: expected a number" },
		{ "object set\nop a() -> ret if ret : f()", "s.lin:2:22: error: expected `else`" },
		{ "object set\nop a() : 7()",
		  "s.lin:2:10: error: expected the name of a function" },
		{ "object set\nop a() : f",
		  "s.lin:2:11: error: expected `(`, not the end of the line" },
		{ "object set\nop a() : f() g",
		  "s.lin:2:14: error: expected the end of the line, not `g`" },
		{ "object set\nop a() : f(x, x)",
		  "s.lin:2:15: error: `x` stands for two parameters" },
		{ "object set\nop a() -> y : f(x)", "s.lin:2:11: error: `y` is neither" },
		{ "object set\nop a(99999999999999999999", "s.lin:2:6: error: expected the name" },
		{ "object set\nop a() -> 99999999999999999999 : f()",
		  "s.lin:2:11: error: expected a result" },
		{ SET "new", "s.lin:3:4: error: expected the name of a function" },
		{ SET "new f(x)", "s.lin:3:7: error: expected `this`, `NULL`" },
		{ SET "new f() g", "s.lin:3:9: error: expected the end of the line" },
		{ SET "new f()\nnew g()", "s.lin:4:5: error: this was said already, in line 3" },
		{ SET "thread f() g() h()", "s.lin:3:16: error: expected the end of the line" },
		{ SET "values k", "s.lin:3:9: error: expected a number" },
		{ SET "values k 2..1", "s.lin:3:8: error: a range has 1 to 16 values" },
		{ SET "values k 0..16", "s.lin:3:8: error: a range has 1 to 16 values" },
		{ SET "values k alike 1 2", "s.lin:3:18: error: expected `..`" },
		{ SET "values x 1..2", "s.lin:3:8: error: `x` is not an argument of an operation" },
		{ SET "waits lsit_add",
		  "s.lin:3:7: error: `lsit_add` is not the function of an operation; did you mean "
		  "`list_add`?" },
		{ SET "single", "s.lin:3:7: error: expected the name of a function" },
		{ SET "single list_add remove", "s.lin:3:17: error: `remove` is not the function" },
		{ "object set\nop a() \x01", "s.lin:2:8: error: expected `->` and the result, or "
					     "`:` and the function, not the byte 0x01" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct error e = { "" };
		struct spec_file f;

		assert_int_equal(spec_file_parse(&f, "s.lin", cases[i].text, &e), -1);
		if (strncmp(e.message, cases[i].message, strlen(cases[i].message)) != 0)
			fail_msg("%s\ngives  %s\nwanted %s", cases[i].text, e.message,
				 cases[i].message);
		spec_file_free(&f);
	}
}

static uint64_t next(uint64_t *random)
{
	*random = *random * 6364136223846793005ULL + 1442695040888963407ULL;
	return *random >> 33;
}

/* Files that are nearly right: every text is either understood or refused with a place. */
static void test_damaged(void **state)
{
	static const char good[] =
		"object bounded-stack(3) by s\n"
		"op push(value) -> bool if ret != -1 else 0 : int push(s, *value)\n"
		"op pop() -> out if not ret else empty : bool stack_pop(s, out, _)\n"
		"new stack_new(this, 3)\nvalues value alike 1..3\nsingle push\n";
	static const char bytes[] = "()->:,*_!=<>#\n \tabop019-x\"/.\x80\x01";
	uint64_t random = 1;

	for (unsigned i = 0; i < 100000; i++) {
		char text[sizeof good + 8];
		size_t n = sizeof good - 1;
		struct error e = { "" };
		struct spec_file f;

		memcpy(text, good, sizeof good);
		for (unsigned k = 1 + next(&random) % 4; k; k--) {
			size_t at = next(&random) % n;

			switch (next(&random) % 3) {
			case 0:
				text[at] = bytes[next(&random) % (sizeof bytes - 1)];
				break;
			case 1:
				memmove(text + at, text + at + 1, n - at);
				n--;
				break;
			default:
				if (n + 1 < sizeof text) {
					memmove(text + at + 1, text + at, n - at + 1);
					text[at] = bytes[next(&random) % (sizeof bytes - 1)];
					n++;
				}
			}
		}
		if (spec_file_parse(&f, "s.lin", text, &e) < 0)
			assert_int_equal(strncmp(e.message, "s.lin:", 6), 0);
		else
			assert_true(f.nops > 0);
		spec_file_free(&f);
	}
}

static void test_spelling(void **state)
{
	static const char *const names[] = { "list_add", NULL, "list_remove", "x" };
	static const struct {
		const char *word, *hint;
	} cases[] = {
		{ "list_ad", "; did you mean `list_add`?" },
		{ "lsit_add", "; did you mean `list_add`?" },
		{ "list_romeve", "; did you mean `list_remove`?" },
		{ "hash_table_resize", "" },
		{ "", "" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *hint = spec_did_you_mean(cases[i].word, names, 4);

		assert_string_equal(hint, cases[i].hint);
		free(hint);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_file), cmocka_unit_test(test_client_lines),
		cmocka_unit_test(test_conditions), cmocka_unit_test(test_refused),
		cmocka_unit_test(test_damaged),    cmocka_unit_test(test_spelling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT
 *
 * A specification in a shared object: examples/spec_plugin.c.
 */
#include "lin_text.h"

#include <unistd.h>

static char account[4200];

static void verdicts(void **state)
{
	char with[4300];

	snprintf(with, sizeof with, "%s(100)", account);
	LIN_YES(account, "deposit 5 [1,2]; withdraw 7 -> 0 [3,4]; balance -> 5 [5,6]");
	LIN_NO(account, "deposit 5 [1,2]; withdraw 7 -> 1 [3,4]");
	LIN_YES(account, "deposit 5 [1,8]; withdraw 3 -> 0 [2,3]; balance -> 5 [4,5]; withdraw 4 "
			 "[5,-]; balance -> 1 [9,9]");
	LIN_YES(with, "withdraw 60 -> 1 [1,4]; withdraw 50 -> 0 [2,3]; balance -> ? [5,6]");
	LIN_NO(with, "withdraw 60 -> 1 [1,4]; withdraw 50 -> 1 [2,3]");
}

static void errors(void **state)
{
	struct lin_options o = { .specification = account };
	struct lin_result r;
	struct history h;
	struct error e;
	char with[4300];

	lin_text(&h, "deposit 1 [1,2]; rob 5 [3,4]");
	assert_int_equal(lin_check(&h, &o, &r, &e), -1);
	assert_non_null(strstr(e.message, "rob"));
	snprintf(with, sizeof with, "%s(-1)", account);
	o.specification = with;
	assert_int_equal(lin_check(&h, &o, &r, &e), -1);
	assert_non_null(strstr(e.message, "parameters"));
	history_free(&h);
}

static void memory_bound(void **state)
{
	struct lin_options o = { .specification = account, .memory = 4000 };
	struct lin_result r;
	struct history h;

	history_init(&h);
	history_object(&h, "object", NULL);
	for (int i = 0; i < 100; i++) {
		struct history_op *op = history_add(&h);

		op->method = history_method(&h, "deposit");
		op->call = i;
		op->ret = i;
		op->args[op->nargs++] = (struct value){ VALUE_INT, 1 << i % 30 };
	}
	assert_int_equal(lin_check(&h, &o, &r, NULL), 0);
	assert_int_equal(r.verdict, LIN_UNKNOWN);
	lin_result_free(&r);
	history_free(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verdicts),
		cmocka_unit_test(errors),
		cmocka_unit_test(memory_bound),
	};
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
	char *slash;

	if (n < 0)
		return 1;
	self[n] = 0;
	slash = strrchr(self, '/');
	*slash = 0;
	snprintf(account, sizeof account, "%s/../examples/spec_plugin.so", self);
	return cmocka_run_group_tests(tests, NULL, NULL);
}

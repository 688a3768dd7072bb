/* SPDX-License-Identifier: MIT
 *
 * Histories in a short notation for tests: operations "NAME ARGUMENTS -> RESULT [CALL,RETURN]" with
 * ";" between them. A result is a number, "empty", "?" (unknown) or a word (a string); it may be
 * left out. RETURN "-" is pending.
 */
#ifndef TEST_LIN_TEXT_H
#define TEST_LIN_TEXT_H

#include "lin/check/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static inline struct value lin_text_value(struct history *h, const char *s, size_t n)
{
	char word[64], *end;
	long long v;

	assert_true(n < sizeof word);
	memcpy(word, s, n);
	word[n] = 0;
	if (!strcmp(word, "empty"))
		return (struct value){ VALUE_EMPTY, 0 };
	if (!strcmp(word, "?"))
		return (struct value){ VALUE_UNKNOWN, 0 };
	v = strtoll(word, &end, 10);
	if (n && !*end)
		return (struct value){ VALUE_INT, v };
	return (struct value){ VALUE_STRING, history_string(h, word, n) };
}

/* Reads one operation and returns the text after it. */
static inline const char *lin_text_op(struct history *h, const char *s)
{
	struct history_op *op = history_add(h);
	char name[64];
	size_t n = strcspn(s, " ["), value = 0;
	bool result = false;
	char *end;

	memcpy(name, s, n);
	name[n] = 0;
	op->method = history_method(h, name);
	for (s += n + strspn(s + n, " "); *s && *s != '['; s += n + strspn(s + n, " ")) {
		n = strcspn(s, " [");
		if (n == 2 && !strncmp(s, "->", 2)) {
			result = true;
			continue;
		}
		if (result)
			op->result = lin_text_value(h, s, n);
		else
			op->args[value++] = lin_text_value(h, s, n);
	}
	op->nargs = (uint8_t)value;
	assert_int_equal(*s, '[');
	op->call = strtoll(s + 1, &end, 10);
	assert_int_equal(*end, ',');
	op->ret = end[1] == '-' ? TIME_PENDING : strtoll(end + 1, &end, 10);
	op->thread = (int32_t)h->nops;
	s = strchr(s, ']') + 1;
	return s + strspn(s, "; ");
}

static inline void lin_text(struct history *h, const char *s)
{
	history_init(h);
	history_object(h, "object", NULL);
	while (*s)
		s = lin_text_op(h, s);
}

/* The verdict; all ways of checking must give the same. */
static inline enum lin_verdict lin_text_verdict(const char *spec, const char *text)
{
	struct lin_options o = { .specification = spec };
	enum lin_verdict verdicts[CHECK_WHOLE + 1];
	struct history h;
	struct error e = { "" };

	lin_text(&h, text);
	for (int mode = CHECK_AUTO; mode <= CHECK_WHOLE; mode++) {
		struct lin_result r;

		if (lin_check_mode(&h, &o, (enum check_mode)mode, &r, &e))
			fail_msg("%s", e.message);
		verdicts[mode] = r.verdict;
		lin_result_free(&r);
	}
	history_free(&h);
	assert_int_equal(verdicts[CHECK_AUTO], verdicts[CHECK_GENERAL]);
	assert_int_equal(verdicts[CHECK_AUTO], verdicts[CHECK_WHOLE]);
	if (verdicts[CHECK_MONITOR] != LIN_UNKNOWN)
		assert_int_equal(verdicts[CHECK_AUTO], verdicts[CHECK_MONITOR]);
	return verdicts[CHECK_AUTO];
}

#define LIN_YES(spec, text) assert_int_equal(lin_text_verdict(spec, text), LIN_OK)
#define LIN_NO(spec, text)  assert_int_equal(lin_text_verdict(spec, text), LIN_VIOLATION)

#endif

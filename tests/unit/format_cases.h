/* SPDX-License-Identifier: MIT
 *
 * For tests of the history formats: parse a text, and compare the result, written in linchpin's own
 * format.
 */
#ifndef FORMAT_CASES_H
#define FORMAT_CASES_H

#include "lin/format/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/* The history as own text; free it. */
static inline char *history_text(const struct history *h)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	format_write(to, h);
	fclose(to);
	return text;
}

/* Parses `text` as `format` (NULL: guess) and compares. */
static inline void expect_history(const char *format, const char *text, const char *expected)
{
	struct history h;
	struct error e = { "" };
	char *got;

	history_init(&h);
	if (format_parse(&h, "in", text, strlen(text), format ? format_find(format) : NULL, &e) < 0)
		fail_msg("%s", e.message);
	got = history_text(&h);
	assert_string_equal(got, expected);
	free(got);
	history_free(&h);
}

static inline void expect_error(const char *format, const char *text, const char *message)
{
	struct history h;
	struct error e = { "no error" };

	history_init(&h);
	assert_int_equal(
		format_parse(&h, "in", text, strlen(text), format ? format_find(format) : NULL, &e),
		-1);
	assert_string_equal(e.message, message);
	history_free(&h);
}

#endif

/* SPDX-License-Identifier: MIT
 *
 * The part of TOML (https://toml.io/en/v1.0.0) that a suite needs: keys with strings, numbers and lists of
 * strings, and tables [[test]]. What else TOML has is refused, not guessed.
 */
#include "nightly/suite.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Blanks and comments; ends of lines, too, if `lines`. */
static void skip(struct suite_reader *r, bool lines)
{
	for (;;) {
		r->at += strspn(r->at, " \t\r");
		if (*r->at == '#')
			r->at += strcspn(r->at, "\n");
		if (*r->at != '\n' || !lines)
			return;
		r->at++;
		r->line++;
	}
}

/* The end of a value or a heading. */
static int end_of_line(struct suite_reader *r)
{
	skip(r, false);
	if (*r->at && *r->at != '\n')
		return suite_mistake(r, "`%.20s` is too much here", r->at);
	return 0;
}

static void add_utf8(FILE *to, unsigned long c)
{
	if (c < 0x80) {
		putc((int)c, to);
	} else if (c < 0x800) {
		putc((int)(0xc0 | c >> 6), to);
		putc((int)(0x80 | (c & 63)), to);
	} else if (c < 0x10000) {
		putc((int)(0xe0 | c >> 12), to);
		putc((int)(0x80 | (c >> 6 & 63)), to);
		putc((int)(0x80 | (c & 63)), to);
	} else {
		putc((int)(0xf0 | c >> 18), to);
		putc((int)(0x80 | (c >> 12 & 63)), to);
		putc((int)(0x80 | (c >> 6 & 63)), to);
		putc((int)(0x80 | (c & 63)), to);
	}
}

/* What follows a backslash. */
static int read_escape(struct suite_reader *r, FILE *to)
{
	static const char from[] = "btnfr\"\\", into[] = "\b\t\n\f\r\"\\";
	const char *known = *r->at ? strchr(from, *r->at) : NULL;
	size_t digits = *r->at == 'u' ? 4 : *r->at == 'U' ? 8 : 0;
	char hex[9] = { 0 };
	unsigned long c;

	if (known) {
		putc(into[known - from], to);
		r->at++;
		return 0;
	}
	if (!digits)
		return suite_mistake(r, "there is no escape `\\%.1s`", r->at);
	r->at++;
	for (size_t i = 0; i < digits; i++) {
		if (!isxdigit((unsigned char)*r->at))
			return suite_mistake(r, "an escape \\u has 4 digits, \\U has 8");
		hex[i] = *r->at++;
	}
	c = strtoul(hex, NULL, 16);
	if (!c || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return suite_mistake(r, "there is no character \\u%s", hex);
	add_utf8(to, c);
	return 0;
}

/* "..." or '...'. NULL is an error; free it. */
static char *read_string(struct suite_reader *r)
{
	char quote = *r->at++, *text = NULL;
	size_t size;
	FILE *to;
	int result = 0;

	if (r->at[0] == quote && r->at[1] == quote) {
		suite_mistake(r, "strings of several lines are not read");
		return NULL;
	}
	to = open_memstream(&text, &size);
	if (!to)
		return NULL;
	while (result == 0 && *r->at && *r->at != quote && *r->at != '\n') {
		if (*r->at != '\\' || quote == '\'') {
			putc(*r->at++, to);
			continue;
		}
		r->at++;
		result = read_escape(r, to);
	}
	fclose(to);
	if (result == 0 && *r->at != quote)
		result = suite_mistake(r, "a string is not closed in its line");
	if (result < 0) {
		free(text);
		return NULL;
	}
	r->at++;
	return text;
}

static int read_list(struct suite_reader *r, struct words *values)
{
	r->at++;
	for (;;) {
		char *text;

		skip(r, true);
		if (*r->at == ']') {
			r->at++;
			return 0;
		}
		if (*r->at != '"' && *r->at != '\'')
			return suite_mistake(r, *r->at ? "a list has strings only"
						       : "a list is not closed");
		text = read_string(r);
		if (!text)
			return -1;
		words_add(values, text);
		skip(r, true);
		if (*r->at == ',')
			r->at++;
		else if (*r->at != ']')
			return suite_mistake(r, "a comma or ] is missing in a list");
	}
}

static int read_value(struct suite_reader *r, struct words *values, bool *list)
{
	char *text;

	*list = *r->at == '[';
	if (*list)
		return read_list(r, values);
	if (*r->at == '"' || *r->at == '\'') {
		text = read_string(r);
	} else {
		size_t n = strspn(r->at, "0123456789._+-eE");

		if (!n)
			return suite_mistake(r, "a value is a string, a number or a list of strings");
		text = xstrndup(r->at, n);
		r->at += n;
	}
	if (!text)
		return -1;
	words_add(values, text);
	return 0;
}

static int read_pair(struct suite_reader *r)
{
	size_t n = strspn(r->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
	struct words values = { 0 };
	unsigned line = r->line;
	char *key;
	bool list;
	int result;

	if (!n)
		return suite_mistake(r, "a line is KEY = VALUE or [[test]]");
	key = xstrndup(r->at, n);
	r->at += n;
	skip(r, false);
	if (*r->at != '=') {
		free(key);
		return suite_mistake(r, "= is missing behind the key");
	}
	r->at++;
	skip(r, false);
	result = read_value(r, &values, &list);
	if (result == 0)
		result = end_of_line(r);
	if (result == 0) {
		unsigned now = r->line;

		r->line = line;
		result = suite_set(r, key, &values, list);
		r->line = now;
	}
	words_free(&values);
	free(key);
	return result;
}

int suite_read_toml(struct suite_reader *r)
{
	static const char heading[] = "[[test]]";

	for (;;) {
		int result = 0;

		skip(r, true);
		if (!*r->at)
			return 0;
		if (*r->at == '[' && strncmp(r->at, heading, sizeof heading - 1) != 0)
			return suite_mistake(r, "the only table is [[test]]");
		if (*r->at == '[') {
			suite_begin(r);
			r->at += sizeof heading - 1;
			result = end_of_line(r);
		} else {
			result = read_pair(r);
		}
		if (result < 0)
			return -1;
	}
}

/* SPDX-License-Identifier: MIT
 *
 * The plain form:
 *
 *	# a comment
 *	budget 10
 *	list-add: --search=dpor -- ./list_test '{a1}|{a1}'
 *		known 3f2a91c07b4d5e66
 *		limit loop at *
 *
 * A test is a line that begins with its name and a colon; options of `linchpin run` end with
 * two dashes. Lines that are indented say more of the test before them;
 * a key and its value, to the end of the line.
 */
#include "nightly/suite.h"

#include <stdlib.h>
#include <string.h>

static int set_pair(struct suite_reader *r, char *text)
{
	char *value = text + strcspn(text, " \t");
	struct words values = { 0 };
	int result;

	if (*value)
		*value++ = '\0';
	value += strspn(value, " \t");
	if (!*value)
		return suite_mistake(r, "`%s` has no value", text);
	words_add(&values, xstrdup(value));
	result = suite_set(r, text, &values, false);
	words_free(&values);
	return result;
}

static int begin_test(struct suite_reader *r, char *line, char *colon)
{
	struct suite_test *t = suite_begin(r);
	struct words all = { 0 };
	struct error why;
	uint32_t first = 0;

	*colon = '\0';
	t->name = xstrdup(line);
	if (words_split(colon + 1, &all, &why) < 0) {
		words_free(&all);
		return suite_mistake(r, "%s", why.message);
	}
	if (all.n && all.list[0][0] == '-') {
		while (first < all.n && strcmp(all.list[first], "--") != 0)
			words_add(&t->options, xstrdup(all.list[first++]));
		if (first == all.n) {
			words_free(&all);
			return suite_mistake(r, "two dashes are missing between options and command");
		}
		first++;
	}
	for (uint32_t i = first; i < all.n; i++)
		words_add(&t->command, xstrdup(all.list[i]));
	words_free(&all);
	return 0;
}

static int read_line(struct suite_reader *r, char *line)
{
	bool indented = *line == ' ' || *line == '\t';
	char *text = line + strspn(line, " \t"), *end = text + strlen(text), *colon;

	while (end > text && strchr(" \t\r", end[-1]))
		*--end = '\0';
	if (!*text || *text == '#')
		return 0;
	if (indented && !r->suite->n)
		return suite_mistake(r, "an indented line belongs to the test before it");
	colon = text + strcspn(text, ": \t");
	if (indented || *colon != ':') {
		if (!indented && r->suite->n)
			return suite_mistake(r, "a test begins with `NAME:`; what else is said of it "
						"is indented");
		return set_pair(r, text);
	}
	if (colon == text)
		return suite_mistake(r, "there is no name before the colon");
	return begin_test(r, text, colon);
}

int suite_read_plain(struct suite_reader *r)
{
	int result = 0;

	for (r->line = 1; result == 0 && *r->at; r->line++) {
		size_t n = strcspn(r->at, "\n");
		char *line = xstrndup(r->at, n);

		result = read_line(r, line);
		free(line);
		r->at += n + (r->at[n] == '\n');
	}
	return result;
}

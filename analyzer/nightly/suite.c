/* SPDX-License-Identifier: MIT */
#include "nightly/suite.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int suite_mistake(const struct suite_reader *r, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	return error_set(r->e, "%s:%u: %s", r->path, r->line, text);
}

struct suite_test *suite_begin(struct suite_reader *r)
{
	struct suite *s = r->suite;
	struct suite_test *t;

	VEC_GROW(s->tests, s->n, s->capacity);
	t = &s->tests[s->n++];
	*t = (struct suite_test){ .budget = s->defaults.budget, .line = r->line };
	words_copy(&t->options, &s->defaults.options);
	words_copy(&t->limits, &s->defaults.limits);
	return t;
}

static int set_seconds(const struct suite_reader *r, const char *key, const char *text, double *to)
{
	char *end;

	*to = strtod(text, &end);
	if (end == text || *end || !isfinite(*to) || *to < 0 || !isdigit((unsigned char)text[0]))
		return suite_mistake(r, "%s must be a number of seconds, not `%s`", key, text);
	return 0;
}

/* A fingerprint, or enough of its beginning. */
static int check_known(const struct suite_reader *r, const struct words *values)
{
	for (uint32_t i = 0; i < values->n; i++) {
		const char *v = values->list[i];

		if (strlen(v) < 8 || strlen(v) > 16 || v[strspn(v, "0123456789abcdef")])
			return suite_mistake(r, "`%s` is no fingerprint: 8 to 16 digits 0-9a-f", v);
	}
	return 0;
}

/* Words of a list, or of a string that is split. */
static int set_words(const struct suite_reader *r, const struct words *values, bool list,
		     struct words *to)
{
	struct error why;

	if (list) {
		words_copy(to, values);
		return 0;
	}
	if (words_split(values->list[0], to, &why) < 0)
		return suite_mistake(r, "%s", why.message);
	return 0;
}

int suite_set(struct suite_reader *r, const char *key, const struct words *values, bool list)
{
	struct suite *s = r->suite;
	struct suite_test *t = s->n ? &s->tests[s->n - 1] : &s->defaults;
	const char *first = values->n ? values->list[0] : "";

	if (!strcmp(key, "limits") || !strcmp(key, "limit")) {
		words_copy(&t->limits, values);
		return 0;
	}
	if (!strcmp(key, "options") || !strcmp(key, "option"))
		return set_words(r, values, list, &t->options);
	if (s->n && !strcmp(key, "known")) {
		words_copy(&t->known, values);
		return check_known(r, values);
	}
	if (s->n && !strcmp(key, "command")) {
		if (t->command.n)
			return suite_mistake(r, "this test has a command already");
		return set_words(r, values, list, &t->command);
	}
	if (strcmp(key, "budget") != 0 && strcmp(key, "name") != 0 && strcmp(key, "expect") != 0)
		return suite_mistake(r, "there is no key `%s` here", key);
	if (list || values->n != 1 || !*first)
		return suite_mistake(r, "%s must have one value", key);
	if (!strcmp(key, "budget"))
		return set_seconds(r, key, first, &t->budget);
	if (!strcmp(key, "expect")) {
		if (strcmp(first, "clean") != 0)
			return suite_mistake(r, "expect can only be clean; findings that are "
						"expected are listed as known");
		return 0;
	}
	if (s->n ? t->name != NULL : s->name != NULL)
		return suite_mistake(r, "the name is given twice");
	if (s->n)
		t->name = xstrdup(first);
	else
		s->name = xstrdup(first);
	return 0;
}

/* "nights/lists.toml" is called lists. */
static char *name_of(const char *path)
{
	const char *name = base_name(path), *dot = strrchr(name, '.');

	return xstrndup(name, dot && dot != name ? (size_t)(dot - name) : strlen(name));
}

static int check(struct suite_reader *r)
{
	struct suite *s = r->suite;

	if (!s->n)
		return error_set(r->e, "%s: there is no test in it", r->path);
	for (uint32_t i = 0; i < s->n; i++) {
		struct suite_test *t = &s->tests[i];

		r->line = t->line;
		if (!t->command.n)
			return suite_mistake(r, "this test has no command");
		if (!t->name)
			return suite_mistake(r, "this test has no name");
		for (const unsigned char *p = (const unsigned char *)t->name; *p; p++)
			if (*p < ' ')
				return suite_mistake(r, "a name has no control characters");
		for (uint32_t k = 0; k < i; k++)
			if (!strcmp(s->tests[k].name, t->name))
				return suite_mistake(r, "there is a test %s in line %u already",
						     t->name, s->tests[k].line);
	}
	return 0;
}

int suite_read(const char *path, struct suite *s, struct error *e)
{
	struct suite_reader r = { .suite = s, .path = path, .line = 1, .e = e };
	size_t size, n = strlen(path);
	char *text;
	int result;

	*s = (struct suite){ .path = xstrdup(path), .defaults = { .budget = -1 } };
	text = read_file(path, &size, e);
	if (!text)
		return -1;
	r.at = text;
	if (strlen(text) != size)
		result = error_set(e, "%s: this is no text", path);
	else if (n > 5 && !strcmp(path + n - 5, ".toml"))
		result = suite_read_toml(&r);
	else
		result = suite_read_plain(&r);
	if (result == 0)
		result = check(&r);
	if (!s->name)
		s->name = name_of(path);
	free(text);
	return result;
}

static void test_free(struct suite_test *t)
{
	free(t->name);
	words_free(&t->command);
	words_free(&t->options);
	words_free(&t->known);
	words_free(&t->limits);
}

void suite_free(struct suite *s)
{
	for (uint32_t i = 0; i < s->n; i++)
		test_free(&s->tests[i]);
	test_free(&s->defaults);
	free(s->tests);
	free(s->name);
	free(s->path);
	*s = (struct suite){ 0 };
}

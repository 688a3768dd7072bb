/* SPDX-License-Identifier: MIT
 *
 * Specification texts: NAME, NAME(PARAMETERS), and then "relaxed" with the names of the operations
 * that may fail spuriously; "relaxed" alone means those whose names begin with "try". A NAME with a
 * slash or that ends in ".so" is a plug-in.
 */
#include "lin/plugin.h"
#include "lin/problem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Lower case without - _ and blanks: "compareAndSet", "compare_and_set" and "Compare-and-set" are
 * one name. */
static size_t simplify(const char *name, size_t n, char *out, size_t size)
{
	size_t k = 0;

	for (size_t i = 0; i < n && k + 1 < size; i++)
		if (name[i] != '_' && name[i] != '-' && name[i] != '.' && name[i] != ' ')
			out[k++] = lower(name[i]);
	out[k] = 0;
	return k;
}

/* Is the word one of the names? */
static bool among(const char *names, const char *word, size_t n)
{
	while (*names) {
		size_t length = strcspn(names, " ");

		if (length == n && !memcmp(names, word, n))
			return true;
		names += length + strspn(names + length, " ");
	}
	return false;
}

static bool among_simplified(const char *names, const char *word, size_t n)
{
	char simple[64];

	while (*names) {
		size_t length = strcspn(names, " ");
		size_t k = simplify(names, length, simple, sizeof simple);

		if (k == n && !memcmp(simple, word, n))
			return true;
		names += length + strspn(names + length, " ");
	}
	return false;
}

int adt_method_find(const struct adt *adt, const char *name)
{
	char word[64];
	size_t n = simplify(name, strlen(name), word, sizeof word);

	for (int i = 0; adt->methods[i].names; i++)
		if (among(adt->methods[i].names, word, n))
			return i;
	if (n > 3 && !memcmp(word, "try", 3))
		for (int i = 0; adt->methods[i].names; i++)
			if (among(adt->methods[i].names, word + 3, n - 3))
				return i;
	return -1;
}

static const struct adt *find_simplified(const char *word, size_t n)
{
	for (const struct adt *const *const *file = adt_files; *file; file++)
		for (const struct adt *const *adt = *file; *adt; adt++)
			if (among_simplified((*adt)->names, word, n))
				return *adt;
	return NULL;
}

static const struct adt *find_builtin(const char *name, size_t length)
{
	char word[64];
	size_t n;

	/* The usual spelling first: histories of a few operations are checked by the million. */
	for (const struct adt *const *const *file = adt_files; *file; file++)
		for (const struct adt *const *adt = *file; *adt; adt++)
			if (!strncmp((*adt)->names, name, length) && (*adt)->names[length] == ' ')
				return *adt;
	n = simplify(name, length, word, sizeof word);
	return n ? find_simplified(word, n) : NULL;
}

const struct adt *adt_find(const char *name)
{
	return find_builtin(name, strcspn(name, "("));
}

static const char *skip_blanks(const char *s)
{
	return s + strspn(s, " \t");
}

/* A parameter that is no number is a string of the history, or "nil". */
static int64_t parameter_word(const char *text, size_t n, int index, const struct history *h)
{
	char buffer[64], *end;
	int64_t v;

	if ((n == 3 && !memcmp(text, "nil", 3)) || (n == 4 && !memcmp(text, "null", 4)) ||
	    (n == 5 && !memcmp(text, "empty", 5)))
		return WORD_EMPTY;
	if (n < sizeof buffer) {
		memcpy(buffer, text, n);
		buffer[n] = 0;
		errno = 0;
		v = strtoll(buffer, &end, 0);
		if (n && !*end && !errno)
			return v;
	}
	if (n > 1 && text[0] == '"' && text[n - 1] == '"') {
		text++;
		n -= 2;
	}
	for (uint32_t i = 0; i < h->nstrings; i++)
		if (strlen(h->strings[i]) == n && !memcmp(h->strings[i], text, n))
			return WORD_STRING(i);
	return WORD_STRING(h->nstrings + (uint32_t)index); /* no value of the history */
}

static const char *parse_parameters(struct lin_spec *spec, const char *s, const struct history *h,
				    struct error *e)
{
	int limit = spec->adt->max_parameters;

	for (s = skip_blanks(s + 1); *s != ')'; s = skip_blanks(s)) {
		size_t n = strcspn(s, ",)"), used = n;

		if (!s[n]) {
			error_set(e, "\")\" is missing after the parameters of \"%s\"",
				  spec->adt->noun);
			return NULL;
		}
		if (spec->nparameters == limit) {
			error_set(e, "a %s takes at most %d parameters", spec->adt->noun, limit);
			return NULL;
		}
		while (used && (s[used - 1] == ' ' || s[used - 1] == '\t'))
			used--;
		spec->parameters[spec->nparameters] = parameter_word(s, used, spec->nparameters, h);
		spec->nparameters++;
		s += n + (s[n] == ',');
	}
	return s + 1;
}

static int check_parameters(const struct lin_spec *spec, struct error *e)
{
	if (spec->nparameters < spec->adt->min_parameters)
		return error_set(e, "a %s needs a parameter, as in %.*s(3)", spec->adt->noun,
				 (int)strcspn(spec->adt->names, " "), spec->adt->names);
	for (int i = 0; i < spec->adt->min_parameters; i++)
		if (spec->parameters[i] < 0)
			return error_set(e, "the parameter of a %s must be a number, 0 or more",
					 spec->adt->noun);
	return 0;
}

int spec_parse(struct lin_spec *spec, const char *text, const struct history *h, struct error *e)
{
	const char *s = skip_blanks(text);
	size_t n = strcspn(s, "( \t");

	memset(spec, 0, sizeof *spec);
	if (plugin_named(s, n)) {
		spec->adt = plugin_load(s, &spec->pool, e);
		return spec->adt ? 0 : -1;
	}
	spec->adt = find_builtin(s, n);
	if (!spec->adt)
		return error_set(e, "\"%.*s\" is not a known specification", (int)n, s);
	if ((spec->adt->traits & ADT_ORDERS) && !h->orders)
		return error_set(e,
				 "the specification \"self\" runs the program one operation at a "
				 "time, so it works with `run` and `report` only");
	s = skip_blanks(s + n);
	if (*s == '(') {
		s = parse_parameters(spec, s, h, e);
		if (!s)
			return -1;
		s = skip_blanks(s);
	}
	if (!strncmp(s, "relaxed", 7) && (!s[7] || strchr(" \t:", s[7]))) {
		s += 7 + strspn(s + 7, " \t:");
		if (*s)
			spec->relaxed = s;
		else
			spec->relaxed_try = true;
		s += strlen(s);
	}
	if (*s)
		return error_set(e, "unexpected \"%s\" in the specification \"%s\"", s, text);
	return check_parameters(spec, e);
}

bool spec_relaxed(const struct lin_spec *spec, const char *method)
{
	char word[64], name[64];
	size_t n;

	if (!spec->relaxed_try && !spec->relaxed)
		return false;
	n = simplify(method, strlen(method), word, sizeof word);
	if (spec->relaxed_try)
		return n > 3 && !memcmp(word, "try", 3);
	for (const char *s = spec->relaxed; *s;) {
		size_t length = strcspn(s, ", \t");

		if (simplify(s, length, name, sizeof name) == n && !memcmp(name, word, n))
			return true;
		s += length;
		s += strspn(s, ", \t");
	}
	return false;
}

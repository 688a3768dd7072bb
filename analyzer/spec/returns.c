/* SPDX-License-Identifier: MIT
 *
 * Reads the tokens, without a preprocessor or a grammar. That is enough for a proposal, which
 * people check. The body of the function is what is between the braces after its name; each `return
 * EXPRESSION ;` in it is looked at. A variable that is returned has what is assigned to it there; a
 * name in capitals is what the file defines it to be. What is returned, or assigned to what is,
 * soonest after something was stored through a pointer says that there was something.
 */
#include "spec/returns.h"
#include "base/util.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TOKENS    20000
#define MAX_CONSTANTS 8
#define MAX_DEPTH     4 /* of names for names */

struct token {
	const char *at;
	unsigned n, line;
};

struct source {
	struct token *tokens;
	size_t n, capacity;
	size_t first, end; /* of the body */
	int64_t constants[MAX_CONSTANTS];
	struct returns *out;
};

/* ---- tokens ---- */

static const char *skip_quoted(const char *p, char quote)
{
	for (p++; *p && *p != quote && *p != '\n'; p++)
		if (*p == '\\' && p[1])
			p++;
	return *p ? p + 1 : p;
}

static const char *skip_comment(const char *p, unsigned *line)
{
	const char *end = p[1] == '/' ? strchr(p, '\n') : strstr(p + 2, "*/");

	if (!end)
		return p + strlen(p);
	if (p[1] == '*')
		end += 2;
	for (; p < end; p++)
		*line += *p == '\n';
	return end;
}

static const char *word_end(const char *p)
{
	while (isalnum((unsigned char)*p) || *p == '_')
		p++;
	return p;
}

static void tokenize(struct source *s, const char *text)
{
	static const char doubles[] = "== != <= >= && || -> ++ -- << >> += -= |= &=";
	unsigned line = 1;

	for (const char *p = text, *end; *p && s->n < MAX_TOKENS; p = end) {
		char two[3] = { p[0], p[1], '\0' };

		end = p + 1;
		if (*p == '\n')
			line++;
		if (isspace((unsigned char)*p) || *p == '\\')
			continue;
		if (*p == '/' && (p[1] == '/' || p[1] == '*')) {
			end = skip_comment(p, &line);
			continue;
		}
		if (isalnum((unsigned char)*p) || *p == '_')
			end = word_end(p);
		else if (*p == '"' || *p == '\'')
			end = skip_quoted(p, *p);
		else if (p[1] && !isspace((unsigned char)p[1]) && strstr(doubles, two))
			end = p + 2;
		VEC_GROW(s->tokens, s->n, s->capacity);
		s->tokens[s->n++] = (struct token){ p, (unsigned)(end - p), line };
	}
}

static bool is(const struct source *s, size_t i, const char *text)
{
	return i < s->n && s->tokens[i].n == strlen(text) &&
	       !memcmp(s->tokens[i].at, text, s->tokens[i].n);
}

static bool same(const struct token *a, const struct token *b)
{
	return a->n == b->n && !memcmp(a->at, b->at, a->n);
}

static bool is_name(const struct token *t)
{
	return isalpha((unsigned char)*t->at) || *t->at == '_';
}

/* The end of what is between a bracket and its partner. */
static size_t partner(const struct source *s, size_t i)
{
	unsigned depth = 0;

	for (; i < s->n; i++) {
		if (is(s, i, "(") || is(s, i, "{") || is(s, i, "["))
			depth++;
		else if ((is(s, i, ")") || is(s, i, "}") || is(s, i, "]")) && !--depth)
			break;
	}
	return i;
}

static bool find_body(struct source *s, const char *function, unsigned line)
{
	size_t i = 0, close;

	while (i < s->n && (s->tokens[i].line < line || !is(s, i, function)))
		i++;
	if (i + 1 >= s->n || s->tokens[i].line > line + 3 || !is(s, i + 1, "("))
		return false;
	close = partner(s, i + 1);
	while (close + 1 < s->n && !is(s, close + 1, "{") && !is(s, close + 1, ";"))
		close++;
	if (!is(s, close + 1, "{"))
		return false;
	s->first = close + 2;
	s->end = partner(s, close + 1);
	return true;
}

/* ---- expressions ---- */

static bool number(const struct token *t, int64_t *value)
{
	char text[32], *end;

	if (!isdigit((unsigned char)*t->at) || t->n >= sizeof text)
		return false;
	memcpy(text, t->at, t->n);
	text[t->n] = '\0';
	*value = (int64_t)strtoull(text, &end, 0);
	return !end[strspn(end, "uUlL")];
}

static bool known_name(const struct token *t, int64_t *value)
{
	static const struct {
		const char *name;
		int64_t value;
	} names[] = {
		{ "NULL", 0 },
		{ "nullptr", 0 },
		{ "false", 0 },
		{ "true", 1 },
		{ "INT_MIN", INT_MIN },
		{ "INT_MAX", INT_MAX },
		{ "LONG_MIN", LONG_MIN },
		{ "LONG_MAX", LONG_MAX },
		{ "UINT_MAX", UINT_MAX },
		{ "INT32_MIN", INT32_MIN },
		{ "INT64_MIN", INT64_MIN },
	};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (t->n == strlen(names[i].name) && !memcmp(t->at, names[i].name, t->n)) {
			*value = names[i].value;
			return true;
		}
	return false;
}

static bool constant(const struct source *s, size_t from, size_t to, int64_t *value,
		     unsigned depth);

/* `#define NAME VALUE` or `NAME = VALUE` of an enumeration, in this file. */
static bool defined(const struct source *s, const struct token *name, int64_t *value,
		    unsigned depth)
{
	for (size_t i = 1; i + 1 < s->n && depth < MAX_DEPTH; i++) {
		size_t to = i + 2;

		if (!same(&s->tokens[i], name))
			continue;
		if (is(s, i - 1, "define")) {
			for (to = i + 1; to < s->n && s->tokens[to].line == s->tokens[i].line;)
				to++;
			return constant(s, i + 1, to, value, depth + 1);
		}
		if (is(s, i + 1, "=") && (is(s, i - 1, "{") || is(s, i - 1, ","))) {
			while (to < s->n && !is(s, to, ",") && !is(s, to, "}"))
				to++;
			return constant(s, i + 2, to, value, depth + 1);
		}
	}
	return false;
}

static bool constant(const struct source *s, size_t from, size_t to, int64_t *value, unsigned depth)
{
	bool minus = false;

	while (from < to && is(s, from, "(")) {
		size_t close = partner(s, from);

		if (close + 1 == to) { /* around all */
			from++;
			to--;
		} else if (close + 1 < to && is_name(&s->tokens[from + 1])) { /* a cast */
			from = close + 1;
		} else {
			return false;
		}
	}
	if (from < to && is(s, from, "-")) {
		minus = true;
		from++;
	}
	if (from + 1 != to)
		return false;
	if (!number(&s->tokens[from], value) && !known_name(&s->tokens[from], value) &&
	    !defined(s, &s->tokens[from], value, depth))
		return false;
	*value = minus ? (int64_t)(0 - (uint64_t)*value) : *value;
	return true;
}

static bool error_number(const struct source *s, size_t from, size_t to)
{
	const struct token *t;

	from += from < to && is(s, from, "-");
	t = &s->tokens[from];
	if (from + 1 != to || t->n < 4 || *t->at != 'E')
		return false;
	for (unsigned i = 0; i < t->n; i++)
		if (!isupper((unsigned char)t->at[i]) && !isdigit((unsigned char)t->at[i]))
			return false;
	return memcmp(t->at, "EMPTY", t->n < 5 ? t->n : 5) != 0;
}

static void add_constant(struct source *s, int64_t value)
{
	struct returns *r = s->out;

	r->zero |= value == 0;
	r->one |= value == 1;
	r->minus |= value == -1;
	for (unsigned i = 0; i < r->nconstants; i++)
		if (s->constants[i] == value)
			return;
	if (r->nconstants == MAX_CONSTANTS)
		return;
	s->constants[r->nconstants++] = value;
	/* Less than anything that is put in is the best "nothing", 0 the worst. */
	if (r->nconstants == 1 || value < r->constant)
		r->constant = value;
}

static bool is_truth(const struct source *s, size_t from, size_t to)
{
	static const char *const signs[] = { "==", "!=", "<", ">", "<=", ">=", "&&", "||" };
	unsigned depth = 0;

	if (is(s, from, "!"))
		return true;
	for (size_t i = from; i < to; i++) {
		depth += is(s, i, "(");
		depth -= depth && is(s, i, ")");
		for (size_t k = 0; k < sizeof signs / sizeof *signs && !depth; k++)
			if (is(s, i, signs[k]))
				return true;
	}
	return false;
}

static size_t find(const struct source *s, size_t from, size_t to, const char *sign)
{
	while (from < to && !is(s, from, sign))
		from = is(s, from, "(") ? partner(s, from) + 1 : from + 1;
	return from < to ? from : to;
}

static void read_return(struct source *s, size_t from, size_t to, unsigned depth);

/* What is assigned to a variable. False if it may have other values, too. */
static bool assigned(struct source *s, const struct token *name, unsigned depth)
{
	static const char *const changes[] = { "+=", "-=", "|=", "&=", "++", "--" };
	bool any = false, other = false;

	for (size_t i = s->first; i + 1 < s->end; i++) {
		size_t to;

		if (!same(&s->tokens[i], name) || is(s, i - 1, "->") || is(s, i - 1, "."))
			continue;
		other |= is(s, i - 1, "&") || is(s, i - 1, "++") || is(s, i - 1, "--");
		for (size_t k = 0; k < sizeof changes / sizeof *changes; k++)
			other |= is(s, i + 1, changes[k]);
		if (!is(s, i + 1, "="))
			continue;
		any = true;
		to = find(s, i + 2, s->end, ";");
		to = find(s, i + 2, to, ",");
		read_return(s, i + 2, to, depth + 1);
	}
	return any && !other;
}

static void read_return(struct source *s, size_t from, size_t to, unsigned depth)
{
	size_t question, colon;
	int64_t value;

	while (from < to && is(s, from, "(") && partner(s, from) + 1 == to) {
		from++;
		to--;
	}
	if (depth > MAX_DEPTH || from >= to)
		return;
	question = find(s, from, to, "?");
	if (question < to) {
		colon = find(s, question, to, ":");
		read_return(s, question + 1, colon, depth + 1);
		read_return(s, colon + 1, to, depth + 1);
	} else if (error_number(s, from, to)) {
		s->out->error = true;
	} else if (constant(s, from, to, &value, 0)) {
		add_constant(s, value);
	} else if (is_truth(s, from, to)) {
		s->out->truth = true;
	} else {
		if (from + 1 != to || !is_name(&s->tokens[from]) ||
		    !assigned(s, &s->tokens[from], depth))
			s->out->other = true;
	}
}

/* Is this variable returned? */
static bool is_returned(const struct source *s, const struct token *name)
{
	for (size_t i = s->first; i + 2 < s->end; i++)
		if (is(s, i, "return") && same(&s->tokens[i + 1], name) && is(s, i + 2, ";"))
			return true;
	return false;
}

/* `*pointer = ...;` and then `return CONSTANT;` or `variable = CONSTANT;` of a variable that is
 * returned. In between nothing may end or begin but a block around it. */
static void find_success(struct source *s, const char *pointer)
{
	size_t stored = s->first + 1, from;
	int64_t value;

	while (stored + 1 < s->end &&
	       !(is(s, stored, pointer) && is(s, stored - 1, "*") && is(s, stored + 1, "=")))
		stored++;
	for (size_t i = stored; i + 1 < s->end; i++) {
		if (is(s, i, "else") || is(s, i, "if"))
			return;
		if (is(s, i, "return"))
			from = i + 1;
		else if (is_name(&s->tokens[i]) && is(s, i + 1, "=") &&
			 is_returned(s, &s->tokens[i]))
			from = i + 2;
		else
			continue;
		s->out->succeeds = constant(s, from, find(s, from, s->end, ";"), &value, 0) &&
				   s->out->nconstants + s->out->error > 1;
		s->out->success = value;
		return;
	}
}

void returns_read(const char *text, const char *function, unsigned line, const char *pointer,
		  struct returns *out)
{
	struct source s = { .out = out };

	*out = (struct returns){ 0 };
	tokenize(&s, text);
	out->known = find_body(&s, function, line);
	for (size_t i = s.first; out->known && i < s.end; i++)
		if (is(&s, i, "return"))
			read_return(&s, i + 1, find(&s, i, s.end, ";"), 0);
	if (out->known && pointer && !out->other && !out->truth)
		find_success(&s, pointer);
	free(s.tokens);
}

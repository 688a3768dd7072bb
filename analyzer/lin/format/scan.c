/* SPDX-License-Identifier: MIT */
#include "lin/format/scan.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define NAME_MAX_BYTES 255
#define FOUND_MAX      32

static void advance(struct scan *s, const char *at)
{
	const char *newline;

	while (s->line_start < at && (newline = memchr(s->line_start, '\n', at - s->line_start))) {
		s->line_start = newline + 1;
		s->line++;
	}
}

uint32_t scan_line(struct scan *s, const char *at)
{
	advance(s, at);
	return s->line;
}

bool scan_next_line(struct scan *s, const char **from, const char **to)
{
	const char *newline;

	if (s->p >= s->end)
		return false;
	/* Everything before s->p has been read as lines, so the previous line ends just there. */
	if (s->p > s->line_start)
		s->line++;
	s->line_start = s->p;
	newline = memchr(s->p, '\n', s->end - s->p);
	*from = s->p;
	*to = newline ? newline : s->end;
	s->p = newline ? newline + 1 : s->end;
	if (*to > *from && (*to)[-1] == '\r')
		(*to)--;
	return true;
}

/* What stands at `at`, for a message: a word, or what ends there. */
static void describe(const struct scan *s, const char *at, char *to, size_t size)
{
	size_t used = 0;
	const char *p = at;

	if (at >= s->end) {
		snprintf(to, size, "the end of the input");
		return;
	}
	if (*at == '\n' || *at == '\r') {
		snprintf(to, size, "the end of the line");
		return;
	}
	to[used++] = '`';
	for (; p < s->end && p < at + FOUND_MAX && (p == at || (*p != ' ' && *p != '\t')) &&
	       *p != '\n' && *p != '\r';
	     p++) {
		unsigned char c = (unsigned char)*p;

		if (c < ' ' || c >= 0x7f)
			used += (size_t)snprintf(to + used, size - used, "\\x%02x", c);
		else
			to[used++] = (char)c;
	}
	snprintf(to + used, size - used, "%s", p == at + FOUND_MAX ? "...`" : "`");
}

int scan_fail(struct scan *s, const char *at, const char *what, ...)
{
	char expected[512], found[4 * FOUND_MAX + 8];
	va_list args;

	va_start(args, what);
	vsnprintf(expected, sizeof expected, what, args);
	va_end(args);
	advance(s, at);
	describe(s, at, found, sizeof found);
	return error_set(s->e, "%s:%u:%td: error: expected %s, not %s", s->name, s->line,
			 at - s->line_start + 1, expected, found);
}

int scan_refuse(struct scan *s, const char *at, const char *what, ...)
{
	char expected[512];
	va_list args;

	va_start(args, what);
	vsnprintf(expected, sizeof expected, what, args);
	va_end(args);
	advance(s, at);
	return error_set(s->e, "%s:%u:%td: error: expected %s", s->name, s->line,
			 at - s->line_start + 1, expected);
}

const char *scan_int(const char *p, const char *end, int64_t *v)
{
	bool negative = p < end && *p == '-';
	uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : INT64_MAX, n = 0;
	const char *first;

	if (p < end && (*p == '-' || *p == '+'))
		p++;
	first = p;
	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		unsigned digit = (unsigned)(*p - '0');

		if (n > (limit - digit) / 10)
			return NULL;
		n = n * 10 + digit;
	}
	if (p == first)
		return NULL;
	*v = (int64_t)(negative ? 0 - n : n);
	return p;
}

const char *scan_thread(struct scan *s, const char *p, const char *end, int32_t *thread)
{
	int64_t v;
	const char *after = scan_int(p, end, &v);

	if (!after || v < 0 || v > INT32_MAX) {
		scan_fail(s, p, "a thread number (0 to %d)", INT32_MAX);
		return NULL;
	}
	*thread = (int32_t)v;
	return after;
}

bool word_is(const char *p, size_t n, const char *word)
{
	return strlen(word) == n && !strncasecmp(p, word, n);
}

static bool scan_hex(const char *p, size_t n, int64_t *v)
{
	uint64_t u = 0;

	if (n < 3 || n > 18 || p[0] != '0' || (p[1] != 'x' && p[1] != 'X'))
		return false;
	for (size_t i = 2; i < n; i++) {
		char c = p[i];

		if (c >= '0' && c <= '9')
			u = u << 4 | (uint64_t)(c - '0');
		else if ((c | 32) >= 'a' && (c | 32) <= 'f')
			u = u << 4 | (uint64_t)((c | 32) - 'a' + 10);
		else
			return false;
	}
	*v = (int64_t)u;
	return true;
}

struct value scan_word(struct scan *s, const char *p, size_t n)
{
	struct value v = { VALUE_INT, 0 };
	int64_t number;

	if ((n && scan_int(p, p + n, &number) == p + n) || scan_hex(p, n, &number)) {
		v.v = number;
		return v;
	}
	if (n == 1 && *p == '?') {
		v.tag = VALUE_UNKNOWN;
		return v;
	}
	if (n >= 3 && n <= 5) {
		v.v = word_is(p, n, "true");
		if (v.v || word_is(p, n, "false"))
			return v;
		if (word_is(p, n, "nil") || word_is(p, n, "null") || word_is(p, n, "none") ||
		    word_is(p, n, "empty")) {
			v.tag = VALUE_EMPTY;
			return v;
		}
	}
	v.tag = VALUE_STRING;
	v.v = history_string(s->h, p, n);
	return v;
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 32;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* Writes code point u as UTF-8; surrogate halves are written as they are, three bytes each. */
static size_t put_utf8(char *to, unsigned u)
{
	if (u < 0x80) {
		to[0] = (char)u;
		return 1;
	}
	if (u < 0x800) {
		to[0] = (char)(0xc0 | u >> 6);
		to[1] = (char)(0x80 | (u & 0x3f));
		return 2;
	}
	to[0] = (char)(0xe0 | u >> 12);
	to[1] = (char)(0x80 | (u >> 6 & 0x3f));
	to[2] = (char)(0x80 | (u & 0x3f));
	return 3;
}

/* \xHH or \uHHHH behind the letter at p; the number of digits read, 0 if there are too few. */
static int unescape_hex(const char *p, const char *end, char *to, size_t *used)
{
	int digits = *p == 'x' ? 2 : 4;
	unsigned u = 0;

	if (end - p <= digits)
		return 0;
	for (int i = 1; i <= digits; i++) {
		int d = hex_digit(p[i]);

		if (d < 0)
			return 0;
		u = u << 4 | (unsigned)d;
	}
	if (digits == 2)
		to[(*used)++] = (char)u;
	else
		*used += put_utf8(to + *used, u);
	return digits;
}

/* The text between the quotes, with escapes undone, into `to`, which is large enough. */
static int unescape(struct scan *s, const char *p, const char *end, char *to, size_t *used)
{
	static const char letters[] = "ntrbf\"\\/", meaning[] = "\n\t\r\b\f\"\\/";

	*used = 0;
	for (; p < end; p++) {
		const char *letter;

		if (*p != '\\') {
			to[(*used)++] = *p;
			continue;
		}
		p++;
		if (*p == 'x' || *p == 'u') {
			int digits = unescape_hex(p, end, to, used);

			if (!digits || !to[*used - 1])
				return scan_fail(s, p - 1,
						 "%d hexadecimal digits, not all 0, after \\%c",
						 *p == 'x' ? 2 : 4, *p);
			p += digits;
			continue;
		}
		letter = *p ? strchr(letters, *p) : NULL;
		if (!letter)
			return scan_fail(s, p - 1,
					 "one of the escapes \\n \\t \\r \\b \\f \\\" \\\\ \\/ "
					 "\\xHH \\uHHHH");
		to[(*used)++] = meaning[letter - letters];
	}
	return 0;
}

int scan_string(struct scan *s, const char **at, const char *end, struct value *v)
{
	const char *open = *at, *p = open + 1;
	bool escapes = false;
	size_t used;
	char *buffer;
	int result;

	for (; p < end && *p != '"'; p++) {
		if (!*p)
			return scan_fail(s, p, "a string without NUL");
		if (*p == '\\' && p + 1 < end) {
			escapes = true;
			p++;
		}
	}
	if (p >= end)
		return scan_fail(s, p > end ? end : p, "a closing \"");
	*at = p + 1;
	v->tag = VALUE_STRING;
	if (!escapes) {
		v->v = history_string(s->h, open + 1, (size_t)(p - open - 1));
		return 0;
	}
	buffer = xmalloc((size_t)(p - open));
	result = unescape(s, open + 1, p, buffer, &used);
	if (!result)
		v->v = history_string(s->h, buffer, used);
	free(buffer);
	return result;
}

static bool ends_word(char c)
{
	return c == ' ' || c == '\t' || c == ',' || c == '(' || c == ')' || c == '"' || c == '#';
}

int scan_value(struct scan *s, const char **at, const char *end, struct value *v)
{
	const char *p = *at, *start = p;
	int64_t number;

	if (p < end && *p == '"')
		return scan_string(s, at, end, v);
	while (p < end && !ends_word(*p)) {
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return scan_fail(s, p, "a value without control characters");
		p++;
	}
	if (p == start)
		return scan_fail(s, p, "a value");
	if (((*start >= '0' && *start <= '9') || (*start == '-' && p > start + 1)) &&
	    !scan_int(start, p, &number) &&
	    strspn(start + 1, "0123456789") == (size_t)(p - start - 1))
		return scan_fail(s, start, "a number that fits 64 bits");
	*v = scan_word(s, start, (size_t)(p - start));
	*at = p;
	return 0;
}

int scan_add_arg(struct scan *s, const char *at, struct history_op *op, struct value v)
{
	if (op->nargs == HISTORY_MAX_ARGS)
		return scan_fail(s, at, "at most %d arguments", HISTORY_MAX_ARGS);
	op->args[op->nargs++] = v;
	return 0;
}

static int scan_arg(struct scan *s, const char **p, const char *end, struct history_op *op)
{
	const char *at = *p;
	struct value v;

	return scan_value(s, p, end, &v) < 0 ? -1 : scan_add_arg(s, at, op, v);
}

int scan_args(struct scan *s, const char **at, const char *end, struct history_op *op)
{
	const char *p = skip_blank(*at, end);

	if (p == end || *p != '(') {
		while (p < end && *p != '#' && !(*p == '-' && p + 1 < end && p[1] == '>')) {
			if (scan_arg(s, &p, end, op) < 0)
				return -1;
			p = skip_blank(p, end);
		}
		*at = p;
		return 0;
	}
	p = skip_blank(p + 1, end);
	while (p == end || *p != ')') {
		if (scan_arg(s, &p, end, op) < 0)
			return -1;
		p = skip_blank(p, end);
		if (p == end || (*p != ',' && *p != ')'))
			return scan_fail(s, p, "`,` or `)`");
		if (*p == ',') {
			p = skip_blank(p + 1, end);
			if (p < end && *p == ')')
				return scan_fail(s, p, "a value");
		}
	}
	*at = p + 1;
	return 0;
}

const char *name_end(const char *p, const char *end)
{
	while (p < end && !ends_word(*p) && (unsigned char)*p > ' ' && *p != 0x7f)
		p++;
	return p;
}

/* The cached id of a name, or the slot to fill. Names repeat on nearly every line of a history. */
static struct name_cache *cached(struct name_cache *cache, const char *p, size_t n)
{
	unsigned char first = (unsigned char)p[0], last = (unsigned char)p[n - 1];

	return &cache[(first * 7u + last * 3u + n) % NAME_CACHE];
}

static bool hits(const struct name_cache *c, const char *p, size_t n)
{
	return c->name && c->size == n && !memcmp(c->name, p, n);
}

static int copy_name(struct scan *s, const char *p, size_t n, const char *what, char *to)
{
	if (!n)
		return scan_fail(s, p, "the name of an %s", what);
	if (n > NAME_MAX_BYTES)
		return scan_fail(s, p, "the name of an %s (at most %d bytes)", what,
				 NAME_MAX_BYTES);
	if (name_end(p, p + n) != p + n)
		return scan_fail(s, name_end(p, p + n), "no such character in the name of an %s",
				 what);
	memcpy(to, p, n);
	to[n] = '\0';
	return 0;
}

int scan_method(struct scan *s, const char *p, size_t n, uint32_t *method)
{
	char name[NAME_MAX_BYTES + 1];
	struct name_cache *c = n ? cached(s->methods, p, n) : NULL;

	if (!c || !hits(c, p, n)) {
		if (copy_name(s, p, n, "operation", name) < 0)
			return -1;
		if (s->h->nmethods >= METHODS_MAX)
			return scan_fail(s, p, "at most %d different operations", METHODS_MAX);
		*c = (struct name_cache){ p, (uint32_t)n, history_method(s->h, name) };
	}
	*method = c->id;
	return 0;
}

int scan_object(struct scan *s, const char *p, size_t n, uint32_t *object)
{
	char name[NAME_MAX_BYTES + 1];
	struct name_cache *c = n ? cached(s->objects, p, n) : NULL;

	if (!c || !hits(c, p, n)) {
		if (copy_name(s, p, n, "object", name) < 0)
			return -1;
		*c = (struct name_cache){ p, (uint32_t)n, history_object(s->h, name, NULL) };
	}
	*object = c->id;
	return 0;
}

uint32_t scan_only_object(struct scan *s)
{
	if (!s->only)
		s->only = history_object(s->h, "object", NULL) + 1;
	return s->only - 1;
}

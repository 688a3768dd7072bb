/* SPDX-License-Identifier: MIT
 *
 * Jepsen's and Knossos's histories in EDN: maps like {:process 0, :type :invoke, :f :read, :value
 * nil}, one after the other or in one vector or list, tagged or not. Keys that say nothing about
 * linearizability are skipped. With a :key beside :value these are the logs of Porcupine's
 * key-value tests (kv.c).
 */
#include "lin/format/jepsen.h"

#include <string.h>

#define DEPTH_MAX 64

static bool is_delimiter(char c)
{
	return (unsigned char)c <= ' ' || c == ',' || strchr("()[]{}\";", c) != NULL;
}

/* Over white space, commas and comments. */
static const char *skip_space(const char *p, const char *end)
{
	for (; p < end; p++) {
		if (*p == ';')
			while (p + 1 < end && p[1] != '\n')
				p++;
		else if ((unsigned char)*p > ' ' && *p != ',')
			break;
	}
	return p;
}

static const char *skip_token(const char *p, const char *end)
{
	if (p < end && *p == '\\') /* a character, which may be a delimiter */
		p += 2;
	while (p < end && !is_delimiter(*p))
		p++;
	return p < end ? p : end;
}

static const char *skip_string(struct scan *s, const char *p, const char *end)
{
	const char *open = p++;

	while (p < end && *p != '"')
		p += *p == '\\' ? 2 : 1;
	if (p < end)
		return p + 1;
	scan_fail(s, open, "a string with a closing \"");
	return NULL;
}

/* Finds the form that starts at or after p: [*start, result), without tags and discarded forms
 * before it. Checks only that brackets and quotes match. A loop, not a recursion, as input may nest
 * deeply. NULL after scan_fail. */
static const char *find_form(struct scan *s, const char *p, const char *end, const char **start)
{
	char closers[DEPTH_MAX];
	size_t discards = 0;
	int depth = 0;

	for (;;) {
		p = skip_space(p, end);
		if (p == end)
			break;
		if (!depth && *p == '#' && p + 1 < end && p[1] != '{' && p[1] != '#') {
			/* "#_ form" is discarded, and so are two forms behind "#_ #_"; "#tag form"
			 * is the form. */
			discards += p[1] == '_';
			p = p[1] == '_' ? p + 2 : skip_token(p + 1, end);
			continue;
		}
		if (!depth)
			*start = p;
		if (*p == '#' && p + 1 < end && p[1] == '{')
			p++;
		if (*p == '{' || *p == '[' || *p == '(') {
			if (depth == DEPTH_MAX) {
				scan_fail(s, p, "at most %d levels of brackets", DEPTH_MAX);
				return NULL;
			}
			closers[depth++] = *p == '{' ? '}' : *p == '[' ? ']' : ')';
			p++;
		} else if (*p == '}' || *p == ']' || *p == ')') {
			if (!depth)
				break;
			if (closers[depth - 1] != *p) {
				scan_fail(s, p, "`%c`", closers[depth - 1]);
				return NULL;
			}
			depth--;
			p++;
		} else {
			p = *p == '"' ? skip_string(s, p, end) : skip_token(p, end);
			if (!p)
				return NULL;
		}
		if (!depth && !discards--)
			return p;
		if (!depth)
			continue;
	}
	if (depth)
		scan_fail(s, p, "`%c`", closers[depth - 1]);
	else
		scan_fail(s, p, "a value");
	return NULL;
}

/* Over white space and discarded forms, up to a form or a closing bracket. */
static const char *skip_to_form(struct scan *s, const char *p, const char *end)
{
	const char *start;

	p = skip_space(p, end);
	while (p && end - p >= 2 && p[0] == '#' && p[1] == '_') {
		p = find_form(s, p + 2, end, &start);
		p = p ? skip_space(p, end) : NULL;
	}
	return p;
}

static int scalar(struct scan *s, const char *p, const char *end, struct value *v)
{
	int64_t number;

	if (*p == '"')
		return scan_string(s, &p, end, v);
	if (*p == ':') /* a keyword is its name */
		p++;
	else if (end - p > 1 && end[-1] == 'N' && scan_int(p, end - 1, &number) == end - 1)
		end--; /* 7N is 7 */
	*v = scan_word(s, p, (size_t)(end - p));
	return 0;
}

static bool opens(const char *p)
{
	return *p == '[' || *p == '(';
}

/* The scalars of the vector [p, end) into *v. 1; 0 if it holds something else or too many; -1 after
 * scan_fail. */
static int vector(struct scan *s, const char *p, const char *end, struct jepsen_value *v,
		  bool inner)
{
	const char *start, *last = end - 1;

	for (p = skip_to_form(s, p + 1, last); p && p < last; p = skip_to_form(s, p, last)) {
		p = find_form(s, p, last, &start);
		if (!p)
			return -1;
		if (opens(start)) {
			int result = inner || v->n != 1 ? 0 : vector(s, start, p, v, true);

			if (result <= 0)
				return result;
			v->nested = true;
			continue;
		}
		if (v->n == HISTORY_MAX_ARGS || v->nested || *start == '{' ||
		    (*start == '#' && start[1] == '{'))
			return 0;
		if (scalar(s, start, p, &v->items[v->n++]) < 0)
			return -1;
	}
	return p ? 1 : -1;
}

int edn_value(struct scan *s, const char **p, const char *end, struct jepsen_value *v)
{
	const char *start, *after = find_form(s, *p, end, &start);
	int result = 0;

	if (!after)
		return -1;
	*p = after;
	*v = (struct jepsen_value){ .at = start, .end = after };
	if (opens(start)) {
		v->vector = true;
		result = vector(s, start, after, v, false);
	} else if (*start != '{' && !(*start == '#' && after - start > 1 && start[1] == '{')) {
		v->n = 1;
		return scalar(s, start, after, &v->items[0]);
	}
	if (result)
		return result < 0 ? -1 : 0;
	/* Anything else is compared as it is written. */
	v->vector = v->nested = false;
	v->n = 1;
	v->items[0] = (struct value){ VALUE_STRING,
				      history_string(s->h, start, (size_t)(after - start)) };
	return 0;
}

/* The fields of an event that were seen. */
struct fields {
	bool process, type, f, ignored;
};

static bool key_is(const char *p, size_t n, const char *key)
{
	return n && *p == ':' && strlen(key) == n - 1 && !memcmp(p + 1, key, n - 1);
}

static int field(struct scan *s, struct jepsen_event *ev, struct fields *seen, const char *key,
		 size_t n, const char *p, const char *end)
{
	int64_t process;

	if (key_is(key, n, "process")) {
		seen->process = true;
		/* Other processes than the numbered ones (:nemesis) do no operations. */
		seen->ignored = scan_int(p, end, &process) != end;
		ev->process = process = seen->ignored ? 0 : process;
		return 0;
	}
	if (key_is(key, n, "type")) {
		seen->type = true;
		if (*p != ':' || !jepsen_type(p + 1, (size_t)(end - p - 1), &ev->type))
			return scan_fail(s, p, ":invoke, :ok, :fail or :info");
		return 0;
	}
	if (key_is(key, n, "f")) {
		seen->f = true;
		ev->f = p + (*p == ':');
		ev->f_size = (size_t)(end - ev->f);
		return scan_method(s, ev->f, ev->f_size, &ev->method);
	}
	if (key_is(key, n, "value"))
		return edn_value(s, &p, end, &ev->value);
	if (key_is(key, n, "key")) {
		if (edn_value(s, &p, end, &ev->key) < 0)
			return -1;
		return ev->key.vector ? scan_fail(s, ev->key.at, "a key that is no collection") : 0;
	}
	return 0;
}

/* The map that opens at *p. */
static int read_map(struct scan *s, const char **at, const char *end, struct jepsen *j)
{
	struct jepsen_event ev = { .at = *at };
	struct fields seen = { 0 };
	const char *p = *at + 1;

	for (;;) {
		const char *key, *key_end, *value, *value_end;

		p = skip_to_form(s, p, end);
		if (!p)
			return -1;
		if (p < end && *p == '}')
			break;
		if (p == end)
			return scan_fail(s, p, "a key or `}`");
		key_end = find_form(s, p, end, &key);
		value_end = key_end ? find_form(s, key_end, end, &value) : NULL;
		if (!value_end ||
		    field(s, &ev, &seen, key, (size_t)(key_end - key), value, value_end) < 0)
			return -1;
		p = value_end;
	}
	*at = p + 1;
	if (seen.process && seen.ignored)
		return 0;
	if (!seen.process || !seen.type || !seen.f)
		return scan_fail(s, ev.at, "an event with :process, :type and :f");
	return jepsen_add(j, &ev);
}

static int read_events(struct scan *s, struct jepsen *j)
{
	const char *p = s->p, *end = s->end, *bracket = NULL;

	for (;;) {
		p = skip_to_form(s, p, end);
		if (!p)
			return -1;
		if (p == end)
			return bracket ? scan_fail(s, p, "the bracket that closes the history") : 0;
		if (*p == '#' && p + 1 < end && p[1] != '{') {
			p = skip_token(p + 1, end);
		} else if (*p == '{') {
			if (read_map(s, &p, end, j) < 0)
				return -1;
		} else if (opens(p) && !bracket) {
			bracket = p++;
		} else if (bracket && *p == (*bracket == '[' ? ']' : ')')) {
			bracket = NULL;
			p++;
		} else {
			return scan_fail(s, p, "an event, {:process ... :type ... :f ...}");
		}
	}
}

static int read_edn(struct scan *s)
{
	struct jepsen j = { .scan = s };
	int result = read_events(s, &j);

	jepsen_end(&j);
	return result;
}

static bool guess_edn(const char *head, size_t size)
{
	const char *p = skip_space(head, head + size);

	if (p < head + size && opens(p))
		p = skip_space(p + 1, head + size);
	if (*p == '#') /* "#tag{" or "#_"; own text has comments that start like that */
		return p[1] == '_' || *skip_token(p + 1, head + size) == '{';
	return *p == '{' && *skip_space(p + 1, head + size) == ':';
}

const struct format format_edn = {
	"edn",    "Jepsen and Knossos: {:process 0, :type :invoke, :f :read, :value nil}",
	NULL,     guess_edn,
	read_edn,
};

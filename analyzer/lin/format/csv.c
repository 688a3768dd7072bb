/* SPDX-License-Identifier: MIT
 *
 * Comma-separated values (RFC 4180) with a header line that names the columns, one operation a row:
 *
 *	thread,call,return,operation,argument,result
 *	0,10,20,push,7,
 *	1,15,,pop,,
 *
 * An empty return is a pending operation, an empty argument or result is none, a quoted empty one
 * is the empty string.
 */
#include "lin/format/scan.h"

#include <stdlib.h>
#include <string.h>

#define COLUMNS_MAX 64

enum column { IGNORED, THREAD, CALL, RETURN, OBJECT, OPERATION, ARGUMENT, RESULT, NCOLUMNS };

static const struct {
	const char *name;
	enum column column;
} names[] = {
	{ "thread", THREAD },     { "process", THREAD },      { "tid", THREAD },
	{ "client", THREAD },     { "call", CALL },           { "invoke", CALL },
	{ "start", CALL },        { "call_time", CALL },      { "return", RETURN },
	{ "end", RETURN },        { "finish", RETURN },       { "return_time", RETURN },
	{ "object", OBJECT },     { "operation", OPERATION }, { "op", OPERATION },
	{ "method", OPERATION },  { "function", OPERATION },  { "f", OPERATION },
	{ "result", RESULT },     { "output", RESULT },       { "response", RESULT },
	{ "argument", ARGUMENT }, { "arg", ARGUMENT },        { "input", ARGUMENT },
	{ "key", ARGUMENT },      { "value", ARGUMENT },      { "arg1", ARGUMENT },
	{ "arg2", ARGUMENT },     { "arg3", ARGUMENT },       { "arg4", ARGUMENT },
};

struct field {
	const char *at;   /* in the input, for messages and names */
	const char *text; /* without quotes: in the input, or in the buffer */
	size_t size;
	bool quoted;
};

struct csv {
	struct scan *scan;
	enum column columns[COLUMNS_MAX];
	size_t ncolumns;
	struct field fields[COLUMNS_MAX];
	size_t nfields;
	char *buffer; /* for fields in which a quote was doubled */
	size_t used;
};

static enum column find_column(const char *p, size_t n)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (word_is(p, n, names[i].name))
			return names[i].column;
	}
	return IGNORED;
}

/* The field at *p into *f; *p moves behind it. */
static int read_quoted(struct csv *c, const char **p, struct field *f)
{
	struct scan *s = c->scan;
	const char *q = *p + 1;
	char *to = c->buffer + c->used;

	f->text = to;
	f->quoted = true;
	for (;; q++) {
		if (q >= s->end)
			return scan_fail(s, *p, "a field with a closing \"");
		if (!*q)
			return scan_fail(s, q, "a field without NUL");
		if (*q == '"' && *++q != '"')
			break;
		*to++ = *q;
	}
	f->size = (size_t)(to - f->text);
	c->used += f->size;
	*p = q;
	return 0;
}

static void read_plain(const char **p, const char *end, struct field *f)
{
	const char *q = *p;

	while (q < end && *q != ',' && *q != '\n')
		q++;
	f->text = skip_blank(*p, q);
	*p = q;
	while (q > f->text && (q[-1] == ' ' || q[-1] == '\t' || q[-1] == '\r'))
		q--;
	f->size = (size_t)(q - f->text);
}

/* The fields of the next record, which ends at a line end outside quotes. */
static int read_record(struct csv *c)
{
	struct scan *s = c->scan;
	const char *p = s->p;

	c->nfields = 0;
	c->used = 0;
	for (;;) {
		struct field *f = &c->fields[c->nfields];

		if (c->nfields++ == COLUMNS_MAX)
			return scan_fail(s, p, "at most %d columns", COLUMNS_MAX);
		*f = (struct field){ .at = p };
		if (p < s->end && *p == '"') {
			if (read_quoted(c, &p, f) < 0)
				return -1;
			while (p < s->end && *p == '\r')
				p++;
		} else {
			read_plain(&p, s->end, f);
		}
		if (p == s->end || *p == '\n')
			break;
		if (*p != ',')
			return scan_fail(s, p, "`,` or the end of the line after a quoted field");
		p++;
	}
	s->p = p < s->end ? p + 1 : p;
	return 0;
}

static int read_header(struct csv *c)
{
	bool seen[NCOLUMNS] = { false };
	const char *at = c->scan->p;

	if (read_record(c) < 0)
		return -1;
	c->ncolumns = c->nfields;
	for (size_t i = 0; i < c->nfields; i++) {
		enum column column = find_column(c->fields[i].text, c->fields[i].size);

		if (seen[column] && column != IGNORED && column != ARGUMENT)
			return scan_fail(c->scan, c->fields[i].at,
					 "a column that did not occur before");
		seen[column] = true;
		c->columns[i] = column;
	}
	if (!seen[THREAD] || !seen[CALL] || !seen[RETURN] || !seen[OPERATION])
		return scan_refuse(
			c->scan, at,
			"a header line with the columns thread, call, return and operation");
	return 0;
}

static int field_value(struct csv *c, const struct field *f, struct value *v)
{
	if (memchr(f->text, 0, f->size))
		return scan_fail(c->scan, f->at, "a field without NUL");
	if (f->size)
		*v = scan_word(c->scan, f->text, f->size);
	else if (f->quoted)
		*v = (struct value){ VALUE_STRING, history_string(c->scan->h, "", 0) };
	return 0;
}

static int field_time(struct csv *c, const struct field *f, const char *what, int64_t *time)
{
	const char *end = f->text + f->size;

	if (scan_int(f->text, end, time) != end || *time == TIME_PENDING)
		return scan_fail(c->scan, f->at, "%s time, a whole number", what);
	return 0;
}

/* Through no cache of names: the text may stand in the buffer, which the next record overwrites. */
static int field_name(struct csv *c, const struct field *f, const char *what, char name[256])
{
	if (!f->size || f->size > 255 || name_end(f->text, f->text + f->size) != f->text + f->size)
		return scan_fail(c->scan, f->at, "the name of an %s", what);
	memcpy(name, f->text, f->size);
	name[f->size] = '\0';
	return 0;
}

static int field_operation(struct csv *c, const struct field *f, struct history_op *op)
{
	char name[256];

	if (field_name(c, f, "operation", name) < 0)
		return -1;
	if (!f->quoted)
		return scan_method(c->scan, f->text, f->size, &op->method);
	if (c->scan->h->nmethods >= METHODS_MAX)
		return scan_refuse(c->scan, f->at, "at most %d different operations", METHODS_MAX);
	op->method = history_method(c->scan->h, name);
	return 0;
}

static int read_field(struct csv *c, enum column column, const struct field *f,
		      struct history_op *op)
{
	struct value v = { VALUE_NONE, 0 };
	char name[256];
	int64_t thread;

	switch (column) {
	case THREAD:
		if (scan_int(f->text, f->text + f->size, &thread) != f->text + f->size ||
		    thread < 0 || thread > INT32_MAX)
			return scan_fail(c->scan, f->at, "a thread number (0 to %d)", INT32_MAX);
		op->thread = (int32_t)thread;
		return 0;
	case CALL:
		return field_time(c, f, "a call", &op->call);
	case RETURN:
		op->ret = TIME_PENDING;
		return f->size && !(f->size == 1 && *f->text == '-')
			       ? field_time(c, f, "a return", &op->ret)
			       : 0;
	case OBJECT:
		if (!f->size)
			return 0;
		if (field_name(c, f, "object", name) < 0)
			return -1;
		op->object = history_object(c->scan->h, name, NULL);
		return 0;
	case OPERATION:
		return field_operation(c, f, op);
	case ARGUMENT:
		if (field_value(c, f, &v) < 0)
			return -1;
		return v.tag == VALUE_NONE ? 0 : scan_add_arg(c->scan, f->at, op, v);
	case RESULT:
		return field_value(c, f, &op->result);
	default:
		return 0;
	}
}

static int read_row(struct csv *c, const char *at)
{
	struct history_op *op;
	bool named = false;

	if (c->nfields != c->ncolumns)
		return scan_refuse(c->scan, at, "%zu fields as in the header, not %zu", c->ncolumns,
				   c->nfields);
	op = history_add(c->scan->h);
	op->line = scan_line(c->scan, at);
	for (size_t i = 0; i < c->nfields; i++) {
		named |= c->columns[i] == OBJECT && c->fields[i].size;
		if (read_field(c, c->columns[i], &c->fields[i], op) < 0)
			return -1;
	}
	if (!named)
		op->object = scan_only_object(c->scan);
	if (op->ret == TIME_PENDING)
		op->result.tag = VALUE_UNKNOWN;
	else if (op->ret < op->call)
		return scan_refuse(c->scan, at, "a return time not before the call at %lld",
				   (long long)op->call);
	return 0;
}

static int read_rows(struct csv *c)
{
	struct scan *s = c->scan;

	if (read_header(c) < 0)
		return -1;
	while (s->p < s->end) {
		const char *at = s->p;

		if (*at == '\n' || *at == '\r') {
			s->p++;
			continue;
		}
		if (read_record(c) < 0 || read_row(c, at) < 0)
			return -1;
	}
	return 0;
}

static int read_csv(struct scan *s)
{
	struct csv *c = xcalloc(1, sizeof *c);
	int result;

	c->scan = s;
	c->buffer = xmalloc((size_t)(s->end - s->p));
	result = read_rows(c);
	free(c->buffer);
	free(c);
	return result;
}

/* The first line holds commas and names columns that a history has. */
static bool guess_csv(const char *head, size_t size)
{
	const char *eol = strchr(head, '\n'), *p = head;
	bool seen[NCOLUMNS] = { false };

	eol = eol ? eol : head + size;
	while (p < eol) {
		const char *comma = memchr(p, ',', (size_t)(eol - p)), *q = comma ? comma : eol;
		const char *next = q + 1;

		while (p < q && strchr(" \t\r\"", *p))
			p++;
		while (q > p && strchr(" \t\r\"", q[-1]))
			q--;
		seen[find_column(p, (size_t)(q - p))] = true;
		p = next;
	}
	return seen[CALL] + seen[RETURN] + seen[OPERATION] + seen[THREAD] >= 3;
}

const struct format format_csv = {
	"csv",    "comma-separated, with a header: thread,call,return,operation,argument,result",
	NULL,     guess_csv,
	read_csv,
};

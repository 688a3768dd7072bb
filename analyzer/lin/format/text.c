/* SPDX-License-Identifier: MIT
 *
 * The own text format, one operation a line:
 *
 *	object s stack
 *	# thread  call  return  operation
 *	0   10   20   s.push(7)
 *	1   15   30   s.pop -> 7
 *	1   40   -    s.pop
 */
#include "lin/format/scan.h"

#include <string.h>

static int expect_line_end(struct scan *s, const char *p, const char *end, const char *what)
{
	p = skip_blank(p, end);
	return p == end || *p == '#' ? 0 : scan_fail(s, p, "%s", what);
}

/* The rest of the line up to a comment: a specification may have blanks in it. */
static int read_specification(struct scan *s, const char *p, const char *end,
			      char specification[256])
{
	size_t n = 0;

	p = skip_blank(p, end);
	for (const char *q = p; q < end && *q != '#'; q++) {
		if ((unsigned char)*q < ' ' && *q != '\t')
			return scan_fail(s, q, "a specification without control characters");
		if (*q != ' ' && *q != '\t')
			n = (size_t)(q + 1 - p);
	}
	if (!n || n > 255)
		return scan_fail(s, p, "a specification");
	memcpy(specification, p, n);
	specification[n] = '\0';
	return 0;
}

/* "object NAME SPECIFICATION" behind its first word */
static int read_object(struct scan *s, const char *p, const char *end)
{
	char name[256], specification[256];
	size_t n;

	p = skip_blank(p, end);
	n = (size_t)(name_end(p, end) - p);
	if (!n || n > 255)
		return scan_fail(s, p, "the name of an object, then its specification");
	memcpy(name, p, n);
	name[n] = '\0';
	if (read_specification(s, p + n, end, specification) < 0)
		return -1;
	history_object(s->h, name, specification);
	return 0;
}

/* "specification SPECIFICATION" behind its first word: of operations that name no object. */
static int read_default(struct scan *s, const char *p, const char *end)
{
	char specification[256];

	if (read_specification(s, p, end, specification) < 0)
		return -1;
	history_object(s->h, "object", specification);
	return 0;
}

/* OBJECT.OPERATION or OPERATION */
static int read_name(struct scan *s, const char **p, const char *end, struct history_op *op)
{
	const char *start = *p, *after = name_end(start, end),
		   *dot = memrchr(start, '.', (size_t)(after - start));

	*p = after;
	if (!dot) {
		op->object = scan_only_object(s);
		return scan_method(s, start, (size_t)(after - start), &op->method);
	}
	if (scan_object(s, start, (size_t)(dot - start), &op->object) < 0)
		return -1;
	return scan_method(s, dot + 1, (size_t)(after - dot - 1), &op->method);
}

static const char *read_time(struct scan *s, const char *p, const char *end, const char *what,
			     int64_t *time)
{
	const char *after = scan_int(p, end, time);

	if (!after || *time == TIME_PENDING || (after < end && *after != ' ' && *after != '\t')) {
		scan_fail(s, p, "%s", what);
		return NULL;
	}
	return after;
}

static int read_times(struct scan *s, const char **at, const char *end, struct history_op *op)
{
	const char *p = skip_blank(*at, end);

	p = read_time(s, p, end, "a call time (a whole number)", &op->call);
	if (!p)
		return -1;
	p = skip_blank(p, end);
	if (p < end && *p == '-' && (p + 1 == end || p[1] == ' ' || p[1] == '\t')) {
		op->ret = TIME_PENDING;
		*at = p + 1;
		return 0;
	}
	*at = p;
	p = read_time(s, p, end, "a return time (a whole number, or - if it never returned)",
		      &op->ret);
	if (!p)
		return -1;
	if (op->ret < op->call)
		return scan_fail(s, *at, "a return time not before the call at %lld",
				 (long long)op->call);
	*at = p;
	return 0;
}

static int read_result(struct scan *s, const char *p, const char *end, struct history_op *op)
{
	op->result.tag = op->ret == TIME_PENDING ? VALUE_UNKNOWN : VALUE_NONE;
	p = skip_blank(p, end);
	if (end - p >= 2 && p[0] == '-' && p[1] == '>') {
		p = skip_blank(p + 2, end);
		if (op->ret == TIME_PENDING)
			return scan_fail(s, p, "no result for an operation that never returned");
		if (scan_value(s, &p, end, &op->result) < 0)
			return -1;
		return expect_line_end(s, p, end, "the end of the line after the result");
	}
	return expect_line_end(s, p, end, "-> and a result, or the end of the line");
}

static int read_op(struct scan *s, const char *p, const char *end)
{
	struct history_op *op = history_add(s->h);

	op->line = s->line;
	p = scan_thread(s, p, end, &op->thread);
	if (!p)
		return -1;
	if (p < end && *p != ' ' && *p != '\t')
		return scan_fail(s, p, "a blank after the thread number");
	if (read_times(s, &p, end, op) < 0)
		return -1;
	p = skip_blank(p, end);
	if (read_name(s, &p, end, op) < 0 || scan_args(s, &p, end, op) < 0)
		return -1;
	return read_result(s, p, end, op);
}

static int read_text(struct scan *s)
{
	const char *p, *end;

	while (scan_next_line(s, &p, &end)) {
		int result = 0;

		p = skip_blank(p, end);
		if (p == end || *p == '#')
			continue;
		if (end - p > 7 && !strncmp(p, "object", 6) && (p[6] == ' ' || p[6] == '\t'))
			result = read_object(s, p + 7, end);
		else if (end - p > 14 && !strncmp(p, "specification", 13) &&
			 (p[13] == ' ' || p[13] == '\t'))
			result = read_default(s, p + 14, end);
		else
			result = read_op(s, p, end);
		if (result < 0)
			return -1;
	}
	return 0;
}

/* The first line that is no comment is a header line, or a number, a number, and a number or a
 * dash. */
static bool guess_text(const char *head, size_t size)
{
	const char *p = head, *end = head + size;

	while (p < end) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));
		int64_t number;

		eol = eol ? eol : end;
		p = skip_blank(p, eol);
		if (p < eol && *p != '#' && *p != '\r') {
			if (!strncmp(p, "object ", 7) || !strncmp(p, "object\t", 7) ||
			    !strncmp(p, "specification", 13))
				return true;
			for (int i = 0; i < 2; i++) {
				p = scan_int(p, eol, &number);
				if (!p || p == eol || (*p != ' ' && *p != '\t'))
					return false;
				p = skip_blank(p, eol);
			}
			return p < eol && (*p == '-' || (*p >= '0' && *p <= '9'));
		}
		p = eol + 1;
	}
	return true;
}

const struct format format_text = {
	"text",    "linchpin's own: THREAD CALL RETURN OPERATION(ARGUMENTS) -> RESULT",
	NULL,      guess_text,
	read_text,
};

/* SPDX-License-Identifier: MIT
 *
 * The logs of Violin and of the monitors that took its format over:
 *
 *	# @object atomic-stack
 *	[1] call push(7)
 *	[2] call pop
 *	[1] return
 *	[2] return 7
 *
 * The number in brackets is a thread, or a number of its own for each operation. On stacks and
 * queues the value may stand in the call or in the return, and the operations may be called
 * add/rem, put/get, and so on.
 */
#include "lin/format/scan.h"

#include <string.h>

#define OBJECT_TAG "@object"

/* "# @object atomic-NAME" */
static int read_comment(struct scan *s, const char *p, const char *end)
{
	char specification[64];
	size_t n;

	p = skip_blank(p + 1, end);
	if ((size_t)(end - p) < strlen(OBJECT_TAG) ||
	    memcmp(p, OBJECT_TAG, strlen(OBJECT_TAG)) != 0)
		return 0;
	p = skip_blank(p + strlen(OBJECT_TAG), end);
	if (end - p > 7 && !memcmp(p, "atomic-", 7))
		p += 7;
	n = (size_t)(name_end(p, end) - p);
	if (!n || n >= sizeof specification)
		return scan_fail(s, p, "the kind of object, as in atomic-stack");
	memcpy(specification, p, n);
	specification[n] = '\0';
	history_object(s->h, "object", specification);
	return 0;
}

static int read_call(struct scan *s, struct pairing *open, int32_t thread, const char *at,
		     const char *p, const char *end, int64_t time)
{
	struct history_op *op = history_add(s->h);
	const char *after = name_end(p, end);

	op->thread = thread;
	op->line = s->line;
	op->call = time;
	op->ret = TIME_PENDING;
	op->result.tag = VALUE_UNKNOWN;
	if (!pairing_call(open, thread, s->h->nops - 1))
		return scan_fail(s, at, "the return of the operation that [%d] is in", thread);
	op->object = scan_only_object(s);
	if (scan_method(s, p, (size_t)(after - p), &op->method) < 0 ||
	    scan_args(s, &after, end, op) < 0)
		return -1;
	after = skip_blank(after, end);
	return after == end ? 0 : scan_fail(s, after, "the end of the line");
}

static int read_return(struct scan *s, struct pairing *open, int32_t thread, const char *at,
		       const char *p, const char *end, int64_t time)
{
	size_t i = pairing_return(open, thread);
	struct history_op *op;
	bool bracket = p < end && *p == '(';

	if (i == SIZE_MAX)
		return scan_fail(s, at, "a call by [%d] before its return", thread);
	op = &s->h->ops[i];
	op->ret = time;
	op->result.tag = VALUE_NONE;
	p = skip_blank(p + bracket, end);
	if (p < end && !(bracket && *p == ')')) {
		if (scan_value(s, &p, end, &op->result) < 0)
			return -1;
		p = skip_blank(p, end);
	}
	if (bracket) {
		if (p == end || *p != ')')
			return scan_fail(s, p, "`)`");
		p = skip_blank(p + 1, end);
	}
	return p == end ? 0 : scan_fail(s, p, "the end of the line");
}

static bool word_at(const char **p, const char *end, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(end - *p) < n || memcmp(*p, word, n) != 0 ||
	    (*p + n < end && (*p)[n] != ' ' && (*p)[n] != '\t' && (*p)[n] != '('))
		return false;
	*p = skip_blank(*p + n, end);
	return true;
}

static int read_event(struct scan *s, struct pairing *open, const char *p, const char *end,
		      int64_t time)
{
	const char *at = p;
	int32_t thread;

	if (*p != '[')
		return scan_fail(s, p, "`[NUMBER] call ...`, `[NUMBER] return ...` or a comment");
	p = scan_thread(s, p + 1, end, &thread);
	if (!p)
		return -1;
	if (p == end || *p != ']')
		return scan_fail(s, p, "`]`");
	p = skip_blank(p + 1, end);
	if (word_at(&p, end, "call"))
		return read_call(s, open, thread, at, p, end, time);
	if (word_at(&p, end, "return") || word_at(&p, end, "ret"))
		return read_return(s, open, thread, at, p, end, time);
	return scan_fail(s, p, "call or return");
}

static bool is_among(const char *word, const char *const *words)
{
	for (; *words; words++) {
		if (word_is(word, strlen(word), *words))
			return true;
	}
	return false;
}

/* Puts the values of a collection's operations where they belong: arguments of what adds, results
 * of what removes. */
static void place_values(struct history *h, const char *add_name, const char *remove_name)
{
	static const char *const adds[] = { "add", "put",    "push",  "enqueue",
					    "enq", "insert", "offer", NULL };
	static const char *const removes[] = { "rem",    "get",    "pop",  "dequeue",   "deq",
					       "remove", "poll",   "take", "removemin", "removemax",
					       "delmin", "delmax", NULL };

	for (size_t i = 0; i < h->nops; i++) {
		struct history_op *op = &h->ops[i];
		bool returned = op->ret != TIME_PENDING;

		if (is_among(h->methods[op->method], adds)) {
			op->method = history_method(h, add_name);
			if (!op->nargs && returned && op->result.tag != VALUE_NONE) {
				op->args[op->nargs++] = op->result;
				op->result.tag = VALUE_NONE;
			}
		} else if (is_among(h->methods[op->method], removes)) {
			op->method = history_method(h, remove_name);
			if (op->nargs == 1) {
				if (returned && op->result.tag == VALUE_NONE)
					op->result = op->args[0];
				op->nargs = 0;
			}
			/* A remove that says nothing at all found nothing. */
			if (returned && op->result.tag == VALUE_NONE)
				op->result.tag = VALUE_EMPTY;
		}
	}
}

static void finish(struct history *h)
{
	static const char *const kinds[][3] = {
		{ "stack", "push", "pop" },        { "queue", "enqueue", "dequeue" },
		{ "pqueue", "insert", "pop" },     { "priority-queue", "insert", "pop" },
		{ "pqueue-min", "insert", "pop" }, { "pqueue-max", "insert", "pop" },
	};
	const char *specification = h->nobjects ? h->objects[0].specification : NULL;

	for (size_t i = 0; specification && i < sizeof kinds / sizeof *kinds; i++) {
		if (!strcmp(specification, kinds[i][0]))
			place_values(h, kinds[i][1], kinds[i][2]);
	}
}

static int read_violin(struct scan *s)
{
	struct pairing open = { 0 };
	const char *p, *end;
	int64_t time = 0;
	int result = 0;

	while (!result && scan_next_line(s, &p, &end)) {
		p = skip_blank(p, end);
		while (end > p && (end[-1] == ' ' || end[-1] == '\t'))
			end--;
		if (p == end)
			continue;
		result = *p == '#' ? read_comment(s, p, end) : read_event(s, &open, p, end, time++);
	}
	pairing_free(&open);
	if (!result)
		finish(s->h);
	return result;
}

/* "[NUMBER] call" or "# @object" starts a line. */
static bool guess_violin(const char *head, size_t size)
{
	const char *p = head;

	while (p && *p) {
		const char *q = p + strspn(p, " \t\r");

		if (*q == '#') {
			q += 1 + strspn(q + 1, " \t");
			if (!strncmp(q, OBJECT_TAG, strlen(OBJECT_TAG)))
				return true;
		} else if (*q == '[') {
			q += 1 + strspn(q + 1, "0123456789");
			return q[0] == ']' && !strncmp(q + 1 + strspn(q + 1, " \t"), "call", 4);
		} else if (*q != '\n') {
			return false;
		}
		p = strchr(p, '\n');
		p = p ? p + 1 : NULL;
	}
	return false;
}

const struct format format_violin = {
	"violin",    "Violin: # @object atomic-stack, [1] call push(7), [1] return",
	NULL,        guess_violin,
	read_violin,
};

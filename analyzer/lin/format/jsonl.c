/* SPDX-License-Identifier: MIT
 *
 * JSON lines, an object a line. Either a whole operation:
 *
 *	{"thread": 0, "call": 10, "return": 20, "operation": "push", "arguments": [7]}
 *	{"thread": 1, "call": 15, "return": null, "operation": "pop"}
 *
 * with "result" and "object" as further keys, or an event in the manner of Jepsen:
 *
 *	{"process": 0, "type": "invoke", "f": "read", "value": null}
 */
#include "lin/format/jepsen.h"

#include <jansson.h>
#include <string.h>

struct line {
	struct scan *scan;
	const char *at;
	json_t *object;
};

/* The member under the first of these names that is there. */
static json_t *member(const struct line *l, const char *name, const char *name2, const char *name3)
{
	json_t *found = json_object_get(l->object, name);

	if (!found && name2)
		found = json_object_get(l->object, name2);
	if (!found && name3)
		found = json_object_get(l->object, name3);
	return found;
}

static struct value json_text(struct scan *s, json_t *j)
{
	char *text = json_dumps(j, JSON_ENCODE_ANY | JSON_COMPACT | JSON_SORT_KEYS);
	struct value v = { VALUE_STRING, 0 };

	v.v = history_string(s->h, text ? text : "", text ? strlen(text) : 0);
	free(text);
	return v;
}

/* Arrays and objects as a value are compared as text. */
static struct value json_value(struct scan *s, json_t *j)
{
	switch (json_typeof(j)) {
	case JSON_INTEGER:
		return (struct value){ VALUE_INT, json_integer_value(j) };
	case JSON_TRUE:
	case JSON_FALSE:
		return (struct value){ VALUE_INT, json_is_true(j) };
	case JSON_NULL:
		return (struct value){ VALUE_EMPTY, 0 };
	case JSON_STRING:
		return (struct value){ VALUE_STRING, history_string(s->h, json_string_value(j),
								    json_string_length(j)) };
	default:
		return json_text(s, j);
	}
}

static int read_number(const struct line *l, json_t *j, const char *what, int64_t most, int64_t *to)
{
	if (!json_is_integer(j) || json_integer_value(j) > most ||
	    (most == INT32_MAX && json_integer_value(j) < 0))
		return scan_refuse(l->scan, l->at, "%s", what);
	*to = json_integer_value(j);
	return 0;
}

static int read_name(const struct line *l, json_t *j, const char *what)
{
	const char *name = json_string_value(j);

	if (!name || !*name || strlen(name) > 255 ||
	    name_end(name, name + strlen(name)) != name + strlen(name))
		return scan_refuse(l->scan, l->at, "%s", what);
	return 0;
}

static int read_arguments(const struct line *l, struct history_op *op)
{
	json_t *j = member(l, "arguments", "args", "argument");
	size_t i;
	json_t *item;

	if (!j)
		return 0;
	if (!json_is_array(j))
		return scan_add_arg(l->scan, l->at, op, json_value(l->scan, j));
	json_array_foreach(j, i, item)
	{
		if (scan_add_arg(l->scan, l->at, op, json_value(l->scan, item)) < 0)
			return -1;
	}
	return 0;
}

static int check_methods(const struct line *l)
{
	if (l->scan->h->nmethods < METHODS_MAX)
		return 0;
	return scan_refuse(l->scan, l->at, "at most %d different operations", METHODS_MAX);
}

static int read_operation(const struct line *l)
{
	struct scan *s = l->scan;
	json_t *name = member(l, "operation", "op", "method"),
	       *object = member(l, "object", NULL, NULL);
	json_t *ret = member(l, "return", "end", NULL),
	       *result = member(l, "result", "output", NULL);
	struct history_op *op;
	int64_t thread;

	if (read_name(l, name, "\"operation\", a name") < 0 || check_methods(l) < 0)
		return -1;
	if (object && read_name(l, object, "\"object\" to be a name") < 0)
		return -1;
	op = history_add(s->h);
	op->line = scan_line(s, l->at);
	op->method = history_method(s->h, json_string_value(name));
	op->object = history_object(s->h, object ? json_string_value(object) : "object", NULL);
	if (read_number(l, member(l, "thread", "process", "tid"), "\"thread\", a number from 0",
			INT32_MAX, &thread) < 0 ||
	    read_number(l, member(l, "call", "start", NULL), "\"call\", a whole number",
			INT64_MAX - 1, &op->call) < 0)
		return -1;
	op->thread = (int32_t)thread;
	op->ret = TIME_PENDING;
	op->result.tag = VALUE_UNKNOWN;
	if (ret && !json_is_null(ret)) {
		if (read_number(l, ret, "\"return\", a whole number or null,", INT64_MAX - 1,
				&op->ret) < 0)
			return -1;
		if (op->ret < op->call)
			return scan_refuse(s, l->at, "\"return\" not to be before \"call\"");
		op->result = result ? json_value(s, result) : (struct value){ VALUE_NONE, 0 };
	}
	return read_arguments(l, op);
}

static void jepsen_value(const struct line *l, json_t *j, struct jepsen_value *v)
{
	json_t *second = json_array_get(j, 1);
	size_t n = json_array_size(j), n2 = json_array_size(second);

	v->at = v->end = l->at;
	if (!j)
		return;
	/* "[k, [a, b]]" becomes k, a, b; see jepsen.c. */
	v->vector = json_is_array(j) && n + n2 <= HISTORY_MAX_ARGS;
	v->nested = v->vector && n == 2 && json_is_array(second);
	if (!v->vector) {
		v->items[v->n++] = json_value(l->scan, j);
		return;
	}
	v->whole = json_text(l->scan, j);
	for (size_t i = 0; i < n - v->nested; i++)
		v->items[v->n++] = json_value(l->scan, json_array_get(j, i));
	for (size_t i = 0; v->nested && i < n2; i++)
		v->items[v->n++] = json_value(l->scan, json_array_get(second, i));
}

static int read_event(const struct line *l, struct jepsen *jepsen)
{
	json_t *f = member(l, "f", NULL, NULL), *type = member(l, "type", NULL, NULL);
	json_t *process = member(l, "process", NULL, NULL);
	struct jepsen_event ev = { .at = l->at };

	if (json_is_string(process)) /* "nemesis" does no operations */
		return 0;
	if (!json_is_string(type) ||
	    !jepsen_type(json_string_value(type), json_string_length(type), &ev.type))
		return scan_refuse(l->scan, l->at,
				   "\"type\", one of \"invoke\", \"ok\", \"fail\" and \"info\"");
	if (read_name(l, f, "\"f\", a name") < 0 || check_methods(l) < 0 ||
	    read_number(l, process, "\"process\", a number from 0", INT32_MAX, &ev.process) < 0)
		return -1;
	ev.f = json_string_value(f);
	ev.f_size = json_string_length(f);
	ev.method = history_method(l->scan->h, ev.f);
	jepsen_value(l, member(l, "key", NULL, NULL), &ev.key);
	jepsen_value(l, member(l, "value", NULL, NULL), &ev.value);
	return jepsen_add(jepsen, &ev);
}

static int read_line(struct scan *s, struct jepsen *jepsen, const char *p, const char *end)
{
	json_error_t broken;
	struct line l = { s, p, json_loadb(p, (size_t)(end - p), JSON_REJECT_DUPLICATES, &broken) };
	int result;

	if (!l.object) {
		size_t column = broken.position > 0 ? (size_t)broken.position - 1 : 0;

		return scan_refuse(s, column < (size_t)(end - p) ? p + column : end,
				   "a JSON object on one line (%s)", broken.text);
	}
	if (!json_is_object(l.object))
		result = scan_refuse(s, p, "a JSON object on one line");
	else if (json_object_get(l.object, "type"))
		result = read_event(&l, jepsen);
	else
		result = read_operation(&l);
	json_decref(l.object);
	return result;
}

static int read_jsonl(struct scan *s)
{
	struct jepsen jepsen = { .scan = s };
	const char *p, *end;
	int result = 0;

	while (!result && scan_next_line(s, &p, &end)) {
		p = skip_blank(p, end);
		if (p < end)
			result = read_line(s, &jepsen, p, end);
	}
	jepsen_end(&jepsen);
	return result;
}

static bool guess_jsonl(const char *head, size_t size)
{
	const char *p = head + strspn(head, " \t\r\n");

	return *p == '{' && p[1 + strspn(p + 1, " \t")] == '"';
}

const struct format format_jsonl = {
	"jsonl",    "JSON lines: {\"thread\": 0, \"call\": 10, \"return\": 20, \"operation\": ...}",
	NULL,       guess_jsonl,
	read_jsonl,
};

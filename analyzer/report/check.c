/* SPDX-License-Identifier: MIT */
#include "report/check.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static const char *const verdicts[] = { "linearizable", "not linearizable", "unknown" };

/* A word in front of a message, such as "error:". */
static void print_word(FILE *to, const struct check_report *r, enum text_color c, const char *word)
{
	fprintf(to, "%s%s%s", text_begin(&r->style, c), word, text_end(&r->style, c));
}

/* Text that came out of a file, without what could disturb a terminal. */
static void print_safe(FILE *to, const char *s)
{
	for (; *s; s++)
		putc((unsigned char)*s < ' ' || *s == 0x7f ? '?' : *s, to);
}

/* "FILE:LINE: " in bold, without the line if there is none */
static void print_place(FILE *to, const struct check_report *r, uint32_t line)
{
	fputs(text_begin(&r->style, TEXT_BOLD), to);
	print_safe(to, r->name);
	if (line)
		fprintf(to, ":%" PRIu32, line);
	fprintf(to, ":%s ", text_end(&r->style, TEXT_BOLD));
}

static void print_op(FILE *to, const struct check_report *r, const struct history_op *op)
{
	fprintf(to, "thread %" PRId32 " [%" PRId64 ", ", op->thread, op->call);
	if (op->ret == TIME_PENDING)
		fputs("never] ", to);
	else
		fprintf(to, "%" PRId64 "] ", op->ret);
	format_write_op(to, r->h, op);
}

/* The line of the witness operation that returns last: with it the history became impossible. */
static uint32_t error_line(const struct check_report *r)
{
	const struct history_op *last = NULL;

	for (size_t i = 0; i < r->result->nwitness; i++) {
		const struct history_op *op = &r->h->ops[r->result->witness[i]];

		if (op->ret != TIME_PENDING && (!last || op->ret > last->ret))
			last = op;
	}
	return last ? last->line : 0;
}

static void print_violation(FILE *to, const struct check_report *r)
{
	print_place(to, r, error_line(r));
	print_word(to, r, TEXT_RED, "error:");
	fputs(" not linearizable", to);
	if (r->h->nobjects > 1) {
		fputs(", object ", to);
		print_safe(to, r->h->objects[r->result->object].name);
	}
	if (r->result->why) {
		fputs(": ", to);
		print_safe(to, r->result->why);
	}
	putc('\n', to);
	for (size_t i = 0; i < r->result->nwitness; i++) {
		const struct history_op *op = &r->h->ops[r->result->witness[i]];

		print_place(to, r, op->line);
		print_word(to, r, TEXT_BLUE, "note:");
		putc(' ', to);
		print_op(to, r, op);
		putc('\n', to);
	}
}

static void print_cut(FILE *to, const struct check_report *r)
{
	print_place(to, r, 0);
	print_word(to, r, TEXT_BLUE, "note:");
	fprintf(to, " %s\n",
		r->result->nwitness
			? "there may be a smaller witness: the search for one ran out of time"
			: "the search for a witness ran out of time");
}

static void print_unknown(FILE *to, const struct check_report *r)
{
	print_place(to, r, 0);
	print_word(to, r, TEXT_YELLOW, "warning:");
	fprintf(to, " unknown after %.1f seconds", r->seconds);
	if (r->h->nobjects > 1) {
		fputs(", object ", to);
		print_safe(to, r->h->objects[r->result->object].name);
	}
	fprintf(to, ": out of time or memory; the longest order found has %zu of %zu operations\n",
		r->result->norder, r->h->nops);
}

static void print_ok(FILE *to, const struct check_report *r)
{
	if (r->quiet)
		return;
	print_place(to, r, 0);
	print_word(to, r, TEXT_GREEN, "linearizable");
	fputs(" (", to);
	if (!r->h->nops)
		fputs("it has no operations", to);
	else
		fprintf(to, "%zu %s", r->h->nops, plural(r->h->nops, "operation", "operations"));
	if (r->h->nobjects > 1)
		fprintf(to, " on %" PRIu32 " objects", r->h->nobjects);
	fputs(")\n", to);
}

void check_report_text(FILE *to, const struct check_report *r)
{
	if (r->result->verdict == LIN_VIOLATION) {
		print_violation(to, r);
		if (r->cut)
			print_cut(to, r);
		return;
	}
	if (r->result->verdict == LIN_UNKNOWN)
		print_unknown(to, r);
	else
		print_ok(to, r);
	for (size_t i = 0; r->order && i < r->result->norder; i++) {
		const struct history_op *op = &r->h->ops[r->result->order[i]];

		print_place(to, r, op->line);
		fprintf(to, "%zu. ", i + 1);
		print_op(to, r, op);
		putc('\n', to);
	}
}

/* JSON text must be UTF-8; what is not becomes ?. */
static json_t *json_clean(const char *s)
{
	json_t *j = json_string(s);
	char *copy;

	if (j)
		return j;
	copy = xstrdup(s);
	for (char *p = copy; *p; p++) {
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	}
	j = json_string(copy);
	free(copy);
	return j;
}

static json_t *json_value(const struct history *h, struct value v)
{
	switch ((enum value_tag)v.tag) {
	case VALUE_INT:
		return json_integer(v.v);
	case VALUE_STRING:
		return json_clean(h->strings[v.v]);
	case VALUE_UNKNOWN:
		return json_string("?");
	default:
		return json_null();
	}
}

static json_t *json_op(const struct history *h, const struct history_op *op)
{
	json_t *j = json_object(), *arguments = json_array();
	char *text = format_op(h, op);

	json_object_set_new(j, "line", json_integer(op->line));
	json_object_set_new(j, "thread", json_integer(op->thread));
	json_object_set_new(j, "call", json_integer(op->call));
	json_object_set_new(j, "return",
			    op->ret == TIME_PENDING ? json_null() : json_integer(op->ret));
	json_object_set_new(j, "operation", json_clean(h->methods[op->method]));
	for (int i = 0; i < op->nargs; i++)
		json_array_append_new(arguments, json_value(h, op->args[i]));
	json_object_set_new(j, "arguments", arguments);
	if (op->ret != TIME_PENDING && op->result.tag != VALUE_NONE)
		json_object_set_new(j, "result", json_value(h, op->result));
	json_object_set_new(j, "text", json_clean(text));
	free(text);
	return j;
}

static json_t *json_ops(const struct history *h, const uint32_t *ops, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, json_op(h, &h->ops[ops[i]]));
	return array;
}

static void write_json(FILE *to, json_t *j)
{
	json_dumpf(j, to, JSON_COMPACT);
	putc('\n', to);
	json_decref(j);
}

void check_report_json(FILE *to, const struct check_report *r)
{
	const struct lin_result *result = r->result;
	json_t *j = json_object();

	json_object_set_new(j, "file", json_clean(r->name));
	json_object_set_new(j, "format", json_string(r->format));
	json_object_set_new(j, "operations", json_integer((json_int_t)r->h->nops));
	json_object_set_new(j, "objects", json_integer(r->h->nobjects));
	json_object_set_new(j, "verdict", json_string(verdicts[result->verdict]));
	json_object_set_new(j, "seconds", json_real(r->seconds));
	if (result->verdict != LIN_OK && result->object < r->h->nobjects)
		json_object_set_new(j, "object", json_clean(r->h->objects[result->object].name));
	if (result->verdict == LIN_VIOLATION) {
		json_object_set_new(j, "line", json_integer(error_line(r)));
		json_object_set_new(j, "why", result->why ? json_clean(result->why) : json_null());
		json_object_set_new(j, "minimal", json_boolean(!r->cut));
		json_object_set_new(j, "witness",
				    json_ops(r->h, result->witness, result->nwitness));
	} else if (r->order || result->verdict == LIN_UNKNOWN) {
		json_object_set_new(j, "order", json_ops(r->h, result->order, result->norder));
	}
	write_json(to, j);
}

void check_report_json_error(FILE *to, const char *name, const char *message)
{
	json_t *j = json_object();

	json_object_set_new(j, "file", json_clean(name));
	json_object_set_new(j, "verdict", json_string("error"));
	json_object_set_new(j, "message", json_clean(message));
	write_json(to, j);
}

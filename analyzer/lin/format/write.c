/* SPDX-License-Identifier: MIT
 *
 * Operations as text, which text.c reads back.
 */
#include "lin/format/format.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Would an unquoted word be read as something else than this string? */
static bool needs_quotes(const char *s)
{
	static const char *const words[] = { "true", "false", "nil", "null", "none", "empty" };

	if (!*s || !((*s | 32) >= 'a' && (*s | 32) <= 'z'))
		return true;
	if (strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.:/") !=
		    strlen(s) ||
	    strstr(s, "->"))
		return true;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		if (!strcasecmp(s, words[i]))
			return true;
	}
	return false;
}

static void write_string(FILE *to, const char *s)
{
	if (!needs_quotes(s)) {
		fputs(s, to);
		return;
	}
	putc('"', to);
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '"' || c == '\\')
			fprintf(to, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", to);
		else if (c == '\t')
			fputs("\\t", to);
		else if (c < ' ' || c == 0x7f)
			fprintf(to, "\\x%02x", c);
		else
			putc(c, to);
	}
	putc('"', to);
}

void format_write_value(FILE *to, const struct history *h, struct value v)
{
	switch ((enum value_tag)v.tag) {
	case VALUE_NONE:
		break;
	case VALUE_INT:
		fprintf(to, "%" PRId64, v.v);
		break;
	case VALUE_STRING:
		write_string(to, h->strings[v.v]);
		break;
	case VALUE_EMPTY:
		fputs("empty", to);
		break;
	case VALUE_UNKNOWN:
		putc('?', to);
		break;
	}
}

static bool is_safe(char c)
{
	return (unsigned char)c >= ' ' && c != 0x7f;
}

/* Names come out of files: what could disturb is shown as ?. */
static void write_name(FILE *to, const char *name)
{
	for (; *name; name++)
		putc(is_safe(*name) ? *name : '?', to);
}

static void write_op(FILE *to, const struct history *h, const struct history_op *op, char dot)
{
	const char *method = h->methods[op->method];

	if (h->nobjects > 1) {
		write_name(to, h->objects[op->object].name);
		putc('.', to);
	}
	for (; *method; method++)
		putc(*method == '.' ? dot : is_safe(*method) ? *method : '?', to);
	putc('(', to);
	for (int i = 0; i < op->nargs; i++) {
		if (i)
			fputs(", ", to);
		format_write_value(to, h, op->args[i]);
	}
	putc(')', to);
	if (op->ret != TIME_PENDING && op->result.tag != VALUE_NONE) {
		fputs(" -> ", to);
		format_write_value(to, h, op->result);
	}
}

void format_write_op(FILE *to, const struct history *h, const struct history_op *op)
{
	write_op(to, h, op, '.');
}

char *format_op(const struct history *h, const struct history_op *op)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	if (to) {
		format_write_op(to, h, op);
		fclose(to);
	}
	return text ? text : xstrdup("");
}

void format_write(FILE *to, const struct history *h)
{
	for (uint32_t i = 0; i < h->nobjects; i++) {
		const struct history_object *object = &h->objects[i];

		if (!object->specification)
			continue;
		if (h->nobjects > 1)
			fprintf(to, "object %s %s\n", object->name, object->specification);
		else
			fprintf(to, "specification %s\n", object->specification);
	}
	for (size_t i = 0; i < h->nops; i++) {
		const struct history_op *op = &h->ops[i];

		fprintf(to, "%" PRId32 " %" PRId64 " ", op->thread, op->call);
		if (op->ret == TIME_PENDING)
			fputs("- ", to);
		else
			fprintf(to, "%" PRId64 " ", op->ret);
		/* A dot would end the name of an object. */
		write_op(to, h, op, ':');
		putc('\n', to);
	}
}

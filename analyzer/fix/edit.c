/* SPDX-License-Identifier: MIT */
#include "fix/edit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void edit_replace(struct edits *e, uint32_t at, uint32_t end, char *text)
{
	VEC_GROW(e->list, e->n, e->capacity);
	e->list[e->n] = (struct edit){ at, end, text, e->n };
	e->n++;
}

void edits_clear(struct edits *e)
{
	for (uint32_t i = 0; i < e->n; i++)
		free(e->list[i].text);
	free(e->list);
	*e = (struct edits){ 0 };
}

static int compare(const void *a, const void *b)
{
	const struct edit *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : 1;
}

char *edits_apply(const struct edits *e, const char *text, size_t size)
{
	struct edit *sorted = xreallocarray(NULL, e->n, sizeof *sorted);
	uint32_t at = 0;
	char *result = NULL;
	size_t length;
	FILE *to = open_memstream(&result, &length);
	bool overlap = !to;

	if (e->n) {
		memcpy(sorted, e->list, e->n * sizeof *sorted);
		qsort(sorted, e->n, sizeof *sorted, compare);
	}
	for (uint32_t i = 0; i < e->n && !overlap; i++) {
		overlap = sorted[i].at < at;
		if (overlap)
			break;
		fwrite(text + at, 1, sorted[i].at - at, to);
		fputs(sorted[i].text, to);
		at = sorted[i].end;
	}
	if (!overlap)
		fwrite(text + at, 1, size - at, to);
	if (to)
		fclose(to);
	free(sorted);
	if (overlap) {
		free(result);
		return NULL;
	}
	return result;
}

uint32_t edit_line_start(const struct unit *u, uint32_t at)
{
	while (at && u->text[at - 1] != '\n')
		at--;
	return at;
}

uint32_t edit_line_end(const struct unit *u, uint32_t at)
{
	while (at < u->size && u->text[at] != '\n')
		at++;
	return at;
}

char *edit_indent(const struct unit *u, uint32_t at)
{
	uint32_t start = edit_line_start(u, at);

	return xstrndup(u->text + start, strspn(u->text + start, " \t"));
}

static bool blank_between(const struct unit *u, uint32_t at, uint32_t end)
{
	while (at < end && isspace((unsigned char)u->text[at]))
		at++;
	return at >= end;
}

/* Nothing or a comment, and not the beginning of one that goes on. */
static bool rest_is_comment(const struct unit *u, uint32_t at)
{
	uint32_t end = edit_line_end(u, at);
	const char *close;

	while (at < end && isspace((unsigned char)u->text[at]))
		at++;
	if (at == end || !strncmp(u->text + at, "//", 2))
		return true;
	if (strncmp(u->text + at, "/*", 2) != 0)
		return false;
	close = strstr(u->text + at, "*/");
	return close && close < u->text + end &&
	       rest_is_comment(u, (uint32_t)(close + 2 - u->text));
}

/* A conditional of the preprocessor: from the start of its #if to behind the line of its #endif. */
struct condition {
	uint32_t start, end;
	bool simple; /* no #else or #elif */
};

/* "if", "endif", "else": the directive on the line that begins there, or "". */
static const char *directive(const struct unit *u, uint32_t line)
{
	const char *p = u->text + line + strspn(u->text + line, " \t");

	if (*p != '#')
		return "";
	p += 1 + strspn(p + 1, " \t");
	return !strncmp(p, "if", 2)      ? "if"
	       : !strncmp(p, "endif", 5) ? "endif"
	       : !strncmp(p, "el", 2)    ? "else"
					 : "";
}

/* The innermost conditional around `at`, or around that one if `around` is set. */
static bool find_condition(const struct unit *u, uint32_t at, struct condition *c)
{
	uint32_t open[64];
	bool simple[64], found = false;
	unsigned depth = 0;

	for (uint32_t line = 0; line < u->size; line = edit_line_end(u, line) + 1) {
		const char *d = directive(u, line);

		if (!strcmp(d, "if") && depth < 64) {
			open[depth] = line;
			simple[depth++] = true;
		} else if (!strcmp(d, "else") && depth) {
			simple[depth - 1] = false;
		} else if (!strcmp(d, "endif") && depth) {
			uint32_t end = edit_line_end(u, line);

			depth--;
			if (open[depth] < at && at < end && (!found || open[depth] > c->start)) {
				*c = (struct condition){ open[depth], end + (end < u->size),
							 simple[depth] };
				found = true;
			}
		}
	}
	return found;
}

bool edit_same_condition(const struct unit *u, const struct node *a, const struct node *b)
{
	struct condition c, d;
	bool in = find_condition(u, a->start, &c), also = find_condition(u, b->start, &d);

	if (in != also || (in && c.start != d.start))
		return false;
	if (!in || c.simple)
		return true;
	/* One of several branches: no #else between them. */
	for (uint32_t line = edit_line_start(u, a->start); line < b->start;
	     line = edit_line_end(u, line) + 1) {
		struct condition inner;

		if (!strcmp(directive(u, line), "else") && find_condition(u, line + 1, &inner) &&
		    inner.start == c.start)
			return false;
	}
	return true;
}

void edit_before(struct edits *e, const struct unit *u, const struct node *s, uint32_t whole_end,
		 const char *statement)
{
	uint32_t start = edit_line_start(u, s->start);
	char *indent = edit_indent(u, s->start);
	struct condition c;

	if (!blank_between(u, start, s->start)) {
		edit_replace(e, s->start, s->start, xasprintf("%s ", statement));
		free(indent);
		return;
	}
	while (find_condition(u, start, &c) && whole_end > c.end)
		start = c.start;
	edit_replace(e, start, start, xasprintf("%s%s\n", indent, statement));
	free(indent);
}

void edit_behind(struct edits *e, const struct unit *u, const struct node *s, uint32_t whole_start,
		 const char *statement)
{
	uint32_t end = edit_line_end(u, s->end);
	char *indent = edit_indent(u, s->start);
	struct condition c;

	if (!rest_is_comment(u, s->end)) {
		edit_replace(e, s->end, s->end, xasprintf(" %s", statement));
		free(indent);
		return;
	}
	end += end < u->size;
	while (find_condition(u, end - 1, &c) && whole_start < c.start)
		end = c.end;
	edit_replace(e, end, end, xasprintf("%s%s\n", indent, statement));
	free(indent);
}

void edit_remove(struct edits *e, const struct unit *u, const struct node *s, char **condition)
{
	uint32_t start = edit_line_start(u, s->start), end = edit_line_end(u, s->end);
	struct condition c;

	*condition = NULL;
	if (s->parent && s->parent->kind != NODE_COMPOUND && s->parent->kind != NODE_FUNCTION) {
		edit_replace(e, s->start, s->end, xstrdup(";"));
		return;
	}
	if (!blank_between(u, start, s->start) || !rest_is_comment(u, s->end)) {
		edit_replace(e, s->start, s->end, xstrdup(""));
		return;
	}
	end += end < u->size;
	if (find_condition(u, start, &c) && c.simple && edit_line_end(u, c.start) + 1 == start &&
	    end == edit_line_start(u, c.end - 1)) {
		*condition = xasprintf("%.*s%%s%.*s", (int)(start - c.start), u->text + c.start,
				       (int)(c.end - end), u->text + end);
		start = c.start;
		end = c.end;
	}
	edit_replace(e, start, end, xstrdup(""));
}

void edit_exit(struct edits *e, const struct unit *u, const struct node *s, const char *statements)
{
	uint32_t start = edit_line_start(u, s->start);
	bool own_line = blank_between(u, start, s->start);
	bool braces = s->parent && s->parent->kind != NODE_COMPOUND &&
		      s->parent->kind != NODE_CASE && s->parent->kind != NODE_LABEL;
	char *indent = edit_indent(u, s->start), *outer, *opening;
	uint32_t head;

	if (!braces || !own_line) {
		edit_replace(e, s->start, s->start,
			     own_line ? xasprintf("%s\n%s", statements, indent)
				      : xasprintf("%s%s ", braces ? "{ " : "", statements));
		if (braces)
			edit_replace(e, s->end, s->end, xstrdup(" }"));
		free(indent);
		return;
	}
	/* if (x)          if (x) {
	 *         return;         unlock; return;
	 *                 } */
	head = start;
	while (head && isspace((unsigned char)u->text[head - 1]))
		head--;
	outer = edit_indent(u, s->parent->start);
	if (rest_is_comment(u, head)) {
		opening = xasprintf(" {\n%s%s\n", indent, statements);
		edit_replace(e, head, start, opening);
	} else {
		edit_replace(e, s->start, s->start, xasprintf("{ %s ", statements));
	}
	edit_replace(e, s->end, s->end, xasprintf("\n%s}", outer));
	free(outer);
	free(indent);
}

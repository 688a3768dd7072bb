/* SPDX-License-Identifier: MIT */
#include "base/text_table.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define GAP        2  /* blanks between columns */
#define MIN_NAME   8  /* columns that are left of a name, with the dots, before its value is cut */
#define MIN_COLUMN 14 /* columns are not cut below this */

static const char *const sequences[] = {
	[TEXT_PLAIN] = "",         [TEXT_BOLD] = "\033[1m",     [TEXT_DIM] = "\033[2m",
	[TEXT_RED] = "\033[1;31m", [TEXT_GREEN] = "\033[32m",   [TEXT_YELLOW] = "\033[33m",
	[TEXT_BLUE] = "\033[34m",  [TEXT_MAGENTA] = "\033[35m", [TEXT_CYAN] = "\033[36m",
};

static unsigned terminal_width(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize w;

	if (columns && atoi(columns) > 0)
		return (unsigned)atoi(columns);
	return ioctl(fd, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
}

struct text_style text_style_for(FILE *out)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	struct text_style s = { 0 };
	int fd = fileno(out);

	if (fd < 0 || !isatty(fd))
		return s;
	s.width = terminal_width(fd);
	s.color = !(no_color && *no_color) && term && strcmp(term, "dumb");
	return s;
}

const char *text_begin(const struct text_style *s, enum text_color c)
{
	return s->color ? sequences[c] : "";
}

const char *text_end(const struct text_style *s, enum text_color c)
{
	return s->color && c != TEXT_PLAIN ? "\033[0m" : "";
}

enum text_color text_thread_color(unsigned thread)
{
	static const enum text_color colors[] = { TEXT_CYAN, TEXT_YELLOW, TEXT_MAGENTA, TEXT_GREEN,
						  TEXT_BLUE };

	return colors[thread % (sizeof colors / sizeof *colors)];
}

char *text_printable(const char *s)
{
	char *out = xmalloc(strlen(s) * 4 + 1), *p = out;

	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c == '\t')
			*p++ = ' ';
		else if (c < 0x20 || c == 0x7f)
			p += sprintf(p, "\\%03o", c);
		else
			*p++ = (char)c;
	}
	*p = '\0';
	return out;
}

void text_value(char *buffer, size_t buffer_size, uint64_t value, unsigned size)
{
	int64_t v = (int64_t)value;

	if (size > 0 && size < 8)
		v = (int64_t)(value << (64 - 8 * size)) >> (64 - 8 * size);
	if (v >= -(1LL << 31) && v < 1LL << 31)
		snprintf(buffer, buffer_size, "%lld", (long long)v);
	else
		snprintf(buffer, buffer_size, "0x%llx", (unsigned long long)value);
}

char *text_count(uint64_t n)
{
	char digits[24], *text = xmalloc(32), *to = text;
	int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)n);

	for (int i = 0; i < length; i++) {
		if (i > 0 && (length - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = '\0';
	return text;
}

/* A byte that begins a character of UTF-8. */
static bool begins_character(char c)
{
	return ((unsigned char)c & 0xc0) != 0x80;
}

unsigned text_columns(const char *s)
{
	unsigned n = 0;

	for (; *s; s++)
		n += begins_character(*s);
	return n;
}

void table_init(struct text_table *t, unsigned ncolumns)
{
	*t = (struct text_table){
		.columns = xcalloc(ncolumns, sizeof *t->columns),
		.ncolumns = ncolumns,
	};
}

void table_free(struct text_table *t)
{
	for (size_t i = 0; i < t->ncells; i++)
		free(t->cells[i]);
	for (unsigned i = 0; i < t->ncolumns; i++)
		free(t->columns[i].heading);
	free(t->cells);
	free(t->columns);
}

void table_column(struct text_table *t, unsigned column, const char *heading, enum text_color c)
{
	t->columns[column].heading = heading ? xstrdup(heading) : NULL;
	t->columns[column].color = c;
	t->headings |= heading && *heading;
}

void table_row(struct text_table *t)
{
	while (t->capacity < t->ncells + t->ncolumns) {
		t->capacity = t->capacity ? t->capacity * 2 : 64;
		t->cells = xreallocarray(t->cells, t->capacity, sizeof *t->cells);
	}
	memset(t->cells + t->ncells, 0, t->ncolumns * sizeof *t->cells);
	t->ncells += t->ncolumns;
}

size_t table_rows(const struct text_table *t)
{
	return t->ncells / t->ncolumns;
}

void table_set(struct text_table *t, unsigned column, char *text)
{
	char **cell = &t->cells[t->ncells - t->ncolumns + column];

	free(*cell);
	*cell = text;
}

static unsigned natural_width(const struct text_table *t, unsigned column)
{
	const char *heading = t->columns[column].heading;
	unsigned width = heading ? text_columns(heading) : 0;

	for (size_t i = column; i < t->ncells; i += t->ncolumns) {
		unsigned n = t->cells[i] ? text_columns(t->cells[i]) : 0;

		if (n > width)
			width = n;
	}
	return width;
}

unsigned table_natural_width(const struct text_table *t)
{
	unsigned total = 0;

	for (unsigned i = 0; i < t->ncolumns; i++) {
		unsigned n = natural_width(t, i);

		total += n + (n && i + 1 < t->ncolumns ? GAP : 0);
	}
	return total;
}

static struct text_column *widest_column(struct text_table *t, bool last)
{
	struct text_column *widest = NULL;

	for (unsigned i = 0; i < t->ncolumns; i++) {
		struct text_column *c = &t->columns[i];

		if (!c->keep && c->last == last && c->width > MIN_COLUMN &&
		    (!widest || c->width > widest->width))
			widest = c;
	}
	return widest;
}

/* Takes columns off the widest until all fit or none may get narrower. */
static void fit(struct text_table *t, unsigned width)
{
	unsigned total = table_natural_width(t);

	for (unsigned i = 0; i < t->ncolumns; i++)
		t->columns[i].width = natural_width(t, i);
	while (width && total > width) {
		struct text_column *c = widest_column(t, false);

		if (!c)
			c = widest_column(t, true);
		if (!c)
			return;
		c->width--;
		total--;
	}
}

/* What is cut out is replaced by three dots: the end, but not the value behind the last ` = `, which says
 * more than the name before it. */
static void print_cut(FILE *out, const char *text, unsigned width, bool with_value)
{
	const char *value = NULL;
	unsigned n = 3;

	for (const char *p = text; with_value && (p = strstr(p, " = ")) != NULL; p++)
		value = p;
	if (value && text_columns(value) + MIN_NAME <= width)
		n += text_columns(value);
	else
		value = NULL;
	while (*text && (n < width || !begins_character(*text))) {
		n += begins_character(text[0]);
		fputc(*text++, out);
	}
	fprintf(out, "...%s", value ? value : "");
}

/* `last`: nothing follows in the line, so it needs no blanks at its end. */
static void print_cell(FILE *out, const struct text_style *s, const struct text_column *column,
		       const char *text, enum text_color c, bool last)
{
	unsigned columns = text_columns(text);
	unsigned blanks = columns < column->width ? column->width - columns : 0;

	if (column->right)
		fprintf(out, "%*s", (int)blanks, "");
	fputs(text_begin(s, c), out);
	if (columns > column->width)
		print_cut(out, text, column->width, !column->last);
	else
		fputs(text, out);
	fputs(text_end(s, c), out);
	if (!last)
		fprintf(out, "%*s", (int)((column->right ? 0 : blanks) + GAP), "");
}

static void print_row(FILE *out, const struct text_style *s, const struct text_table *t,
		      char *const *cells, unsigned indent)
{
	unsigned last = 0;

	for (unsigned i = 0; i < t->ncolumns; i++)
		if (cells ? cells[i] && *cells[i] : t->columns[i].heading != NULL)
			last = i;
	fprintf(out, "%*s", (int)indent, "");
	for (unsigned i = 0; i <= last; i++) {
		const char *text = cells ? cells[i] : t->columns[i].heading;

		if (t->columns[i].width)
			print_cell(out, s, &t->columns[i], text ? text : "",
				   cells ? t->columns[i].color : TEXT_BOLD, i == last);
	}
	fputc('\n', out);
}

void table_print(FILE *out, const struct text_style *s, struct text_table *t, unsigned indent)
{
	fit(t, s->width > indent ? s->width - indent : s->width);
	if (t->headings)
		print_row(out, s, t, NULL, indent);
	for (size_t i = 0; i < t->ncells; i += t->ncolumns)
		print_row(out, s, t, t->cells + i, indent);
}

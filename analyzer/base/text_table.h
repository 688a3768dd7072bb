/* SPDX-License-Identifier: MIT
 *
 * Text for people: tables that fit the terminal, and colours if the output is a terminal.
 */
#ifndef LINCHPIN_BASE_TEXT_TABLE_H
#define LINCHPIN_BASE_TEXT_TABLE_H

#include "base/util.h"

enum text_color {
	TEXT_PLAIN = 0,
	TEXT_BOLD,
	TEXT_DIM,
	TEXT_RED,
	TEXT_GREEN,
	TEXT_YELLOW,
	TEXT_BLUE,
	TEXT_MAGENTA,
	TEXT_CYAN,
};

struct text_style {
	unsigned width; /* columns of the terminal; 0: no limit */
	bool color;
};

/* Width and colours for a terminal (NO_COLOR, TERM=dumb and COLUMNS are respected); neither for
 * anything else. */
struct text_style text_style_for(FILE *out);
/* The sequences to begin and end a colour; empty without colours. */
const char *text_begin(const struct text_style *s, enum text_color c);
const char *text_end(const struct text_style *s, enum text_color c);
/* The colour of the n-th thread. */
enum text_color text_thread_color(unsigned thread);

/* A string that may come from anywhere, with control bytes made visible and tabs made blanks. Free
 * it. */
char *text_printable(const char *s);
/* A value of `size` bytes as people write it: small ones in decimal, addresses in hexadecimal. */
void text_value(char *buffer, size_t buffer_size, uint64_t value, unsigned size);
/* "20,000". Free it. */
char *text_count(uint64_t n);
/* The number of columns a string takes (UTF-8, a column a character). */
unsigned text_columns(const char *s);

struct text_column {
	char *heading; /* may be NULL */
	enum text_color color;
	bool right;     /* aligned */
	bool keep;      /* never cut */
	bool last;      /* cut only when no other column can be */
	unsigned width; /* set when printed */
};

struct text_table {
	struct text_column *columns;
	unsigned ncolumns;
	char **cells; /* ncolumns a row; NULL is empty */
	size_t ncells, capacity;
	bool headings;
};

void table_init(struct text_table *t, unsigned ncolumns);
void table_free(struct text_table *t);
void table_column(struct text_table *t, unsigned column, const char *heading, enum text_color c);
void table_row(struct text_table *t); /* begins a row */
size_t table_rows(const struct text_table *t);
/* Sets the cell of the last row; takes over `text` (malloc'd). */
void table_set(struct text_table *t, unsigned column, char *text);
/* The narrowest the table can get, and how wide its text is. */
unsigned table_natural_width(const struct text_table *t);
/* Prints the rows with `indent` blanks before each, cutting the widest cells where the style has a
 * width. */
void table_print(FILE *out, const struct text_style *s, struct text_table *t, unsigned indent);

#endif

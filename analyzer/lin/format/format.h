/* SPDX-License-Identifier: MIT
 *
 * lin/format/ includes lin/ and base/.
 *
 * Histories from files: the formats that `linchpin check` reads, and the text it writes.
 * docs/history-formats.md describes them for users. One file a format (NAME.c); format.c
 * holds the table and guesses.
 */
#ifndef LINCHPIN_LIN_FORMAT_FORMAT_H
#define LINCHPIN_LIN_FORMAT_FORMAT_H

#include "lin/history.h"

struct scan;

struct format {
	const char *name;
	const char *about; /* one line */
	/* what such files are about when nobody says; NULL: nothing is known */
	const char *specification;
	/* Could a text that starts like this be of the format? Sees at most the first FORMAT_HEAD
	 * bytes, NUL at the end. */
	bool (*guess)(const char *head, size_t size);
	int (*read)(struct scan *in); /* 0, or -1 after scan_fail */
};

#define FORMAT_HEAD 4096

extern const struct format format_text, format_kv, format_edn, format_etcd, format_violin,
	format_csv, format_jsonl;

/* The i-th format, NULL past the end. */
const struct format *format_at(size_t i);
/* By name; NULL if there is none. */
const struct format *format_find(const char *name);
/* By the looks of it; NULL if it looks like none of them. An empty text is format_text. */
const struct format *format_guess(const char *text, size_t size);

/* Reads a whole history out of `text` (of `size` bytes, followed by a NUL) into *h, which has been
 * initialised and stays the caller's to free, also on failure. -1 and e->message "NAME:LINE:COLUMN:
 * error: expected ..." if the text is malformed. Columns count bytes from 1. `format` NULL:
 * guess. */
int format_parse(struct history *h, const char *name, const char *text, size_t size,
		 const struct format *format, struct error *e);

/* A value, an operation ("push(7) -> true") as text. What could disturb a terminal or a parser is
 * escaped, so that the own text format reads it back. */
void format_write_value(FILE *to, const struct history *h, struct value v);
void format_write_op(FILE *to, const struct history *h, const struct history_op *op);
/* The same in a string; free it. */
char *format_op(const struct history *h, const struct history_op *op);
/* The whole history in the own text format. */
void format_write(FILE *to, const struct history *h);

#endif

/* SPDX-License-Identifier: MIT
 *
 * nightly/ is about the same tests night after night: the file that lists them, the database of what
 * they came to, and what is new. It includes base/, source/, lin/picture/ and report/.
 *
 * The file of a suite: plain text or TOML, see docs/nightly.md. Nothing in it is executed but the
 * commands of its tests, which are given to `linchpin run` word by word, without a shell.
 */
#ifndef LINCHPIN_NIGHTLY_SUITE_H
#define LINCHPIN_NIGHTLY_SUITE_H

#include "base/util.h"

struct words {
	char **list;
	uint32_t n, capacity;
};

void words_add(struct words *w, char *word); /* takes it over */
void words_copy(struct words *to, const struct words *from);
void words_free(struct words *w);
/* Splits a line as a shell would, with quotes and backslashes and nothing else. -1 and *e if a quote
 * is not closed. */
int words_split(const char *line, struct words *to, struct error *e);
/* The reverse, for people and to be read again. Free it. */
char *words_join(const struct words *w);

struct suite_test {
	char *name;
	struct words command, options; /* of `linchpin run` */
	struct words known;            /* fingerprints that are expected, or their beginnings */
	struct words limits;           /* globs of limits that are allowed */
	double budget;                 /* seconds; less than 0: as `linchpin run` has it */
	unsigned line;                 /* in the file */
};

struct suite {
	char *name, *path;
	struct suite_test *tests;
	uint32_t n, capacity;
	struct suite_test defaults;
};

/* 0, or -1 and *e with file and line. Free it in both cases. */
int suite_read(const char *path, struct suite *s, struct error *e);
void suite_free(struct suite *s);

/* For the readers of the two forms. */
struct suite_reader {
	struct suite *suite;
	const char *path, *at; /* where in the text */
	unsigned line;
	struct error *e;
};

int suite_mistake(const struct suite_reader *r, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Begins a test; what follows belongs to it. */
struct suite_test *suite_begin(struct suite_reader *r);
/* `values` are the strings of a list, or the one value. */
int suite_set(struct suite_reader *r, const char *key, const struct words *values, bool list);
int suite_read_toml(struct suite_reader *r);
int suite_read_plain(struct suite_reader *r);

#endif

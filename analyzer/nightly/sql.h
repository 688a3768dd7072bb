/* SPDX-License-Identifier: MIT
 *
 * Statements of SQL with their values. Inside the store only.
 */
#ifndef LINCHPIN_NIGHTLY_SQL_H
#define LINCHPIN_NIGHTLY_SQL_H

#include "nightly/store.h"

#include <sqlite3.h>

struct store {
	sqlite3 *db;
	char *path;
	int locks; /* a file; the byte N is locked while night N goes on */
};

/* Executes a statement. `types` has a letter for each ?: s text (NULL is null), i int64_t, d double. */
int sql(struct store *s, struct error *e, const char *statement, const char *types, ...);
/* The same of one whose rows are wanted; NULL and *e on failure. End it with sqlite3_finalize. */
sqlite3_stmt *sql_query(struct store *s, struct error *e, const char *statement, const char *types, ...);
/* 1: there is a row; 0: no more; -1 and *e. */
int sql_row(struct store *s, sqlite3_stmt *q, struct error *e);
/* A column as a string, "" for null. Free it. */
char *sql_text(sqlite3_stmt *q, int column);
int sql_failed(struct store *s, struct error *e);

#endif

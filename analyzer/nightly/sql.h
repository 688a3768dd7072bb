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
int64_t sql_last_id(const struct store *s); /* of the row that was inserted last */
int sql_failed(struct store *s, struct error *e);

/* Adds to what is said of a night. */
int sql_say(struct store *s, int64_t night, const struct said *said, uint32_t nsaid, struct error *e);

#endif

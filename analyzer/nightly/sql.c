/* SPDX-License-Identifier: MIT */
#include "nightly/sql.h"

#include <stdarg.h>

int sql_failed(struct store *s, struct error *e)
{
	return error_set(e, "%s: %s", s->path, sqlite3_errmsg(s->db));
}

static sqlite3_stmt *prepare(struct store *s, struct error *e, const char *statement, const char *types,
			     va_list args)
{
	sqlite3_stmt *q;
	int code = SQLITE_OK;

	if (sqlite3_prepare_v2(s->db, statement, -1, &q, NULL) != SQLITE_OK) {
		sql_failed(s, e);
		return NULL;
	}
	for (int i = 1; *types && code == SQLITE_OK; types++, i++) {
		if (*types == 's')
			code = sqlite3_bind_text(q, i, va_arg(args, const char *), -1,
						 SQLITE_TRANSIENT);
		else if (*types == 'd')
			code = sqlite3_bind_double(q, i, va_arg(args, double));
		else
			code = sqlite3_bind_int64(q, i, va_arg(args, int64_t));
	}
	if (code == SQLITE_OK)
		return q;
	sql_failed(s, e);
	sqlite3_finalize(q);
	return NULL;
}

sqlite3_stmt *sql_query(struct store *s, struct error *e, const char *statement, const char *types, ...)
{
	va_list args;
	sqlite3_stmt *q;

	va_start(args, types);
	q = prepare(s, e, statement, types, args);
	va_end(args);
	return q;
}

int sql_row(struct store *s, sqlite3_stmt *q, struct error *e)
{
	int code = sqlite3_step(q);

	return code == SQLITE_ROW ? 1 : code == SQLITE_DONE ? 0 : sql_failed(s, e);
}

int sql(struct store *s, struct error *e, const char *statement, const char *types, ...)
{
	va_list args;
	sqlite3_stmt *q;
	int result;

	va_start(args, types);
	q = prepare(s, e, statement, types, args);
	va_end(args);
	if (!q)
		return -1;
	while ((result = sql_row(s, q, e)) > 0)
		;
	sqlite3_finalize(q);
	return result;
}

char *sql_text(sqlite3_stmt *q, int column)
{
	const unsigned char *text = sqlite3_column_text(q, column);

	return xstrdup(text ? (const char *)text : "");
}

int64_t sql_last_id(const struct store *s)
{
	return sqlite3_last_insert_rowid(s->db);
}

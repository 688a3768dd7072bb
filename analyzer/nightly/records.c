/* SPDX-License-Identifier: MIT
 *
 * The part of the store that is about tests.
 */
#include "nightly/sql.h"

#include <stdlib.h>

static const char *const names[STATUS_COUNT] = { "clean", "unfinished", "violation", "failed" };

const char *status_name(enum status s)
{
	return names[s];
}

void record_free(struct record *r)
{
	for (uint32_t i = 0; i < r->nfaults; i++) {
		struct fault *f = &r->faults[i];

		free(f->fingerprint);
		free(f->kind);
		free(f->message);
		free(f->statements);
		free(f->file);
		free(f->history);
		free(f->schedule);
	}
	for (uint32_t i = 0; i < r->nmends; i++)
		free(r->mends[i].text);
	for (uint32_t i = 0; i < r->nlimits; i++)
		free(r->limits[i]);
	free(r->faults);
	free(r->mends);
	free(r->limits);
	free(r->test);
	free(r->command);
	free(r->build);
	free(r->build_id);
	free(r->message);
	free(r->end);
	*r = (struct record){ 0 };
}

void records_free(struct record *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		record_free(&list[i]);
	free(list);
}

/* ---- writing ---- */

static int save_parts(struct store *s, const struct record *r, int64_t id, struct error *e)
{
	for (uint32_t i = 0; i < r->nfaults; i++) {
		const struct fault *f = &r->faults[i];

		if (sql(s, e, "INSERT INTO fault VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", "isssssiissi",
			id, f->fingerprint, f->kind, f->message, f->statements, f->file,
			(int64_t)f->line, (int64_t)f->classes, f->history, f->schedule,
			(int64_t)f->known) < 0)
			return -1;
	}
	for (uint32_t i = 0; i < r->nmends; i++)
		if (sql(s, e, "INSERT INTO repair VALUES(?, ?, ?, ?, ?)", "iisii", id, (int64_t)i,
			r->mends[i].text, (int64_t)r->mends[i].disabled,
			(int64_t)r->mends[i].proven) < 0)
			return -1;
	for (uint32_t i = 0; i < r->nlimits; i++)
		if (sql(s, e, "INSERT OR IGNORE INTO bound VALUES(?, ?)", "is", id, r->limits[i]) < 0)
			return -1;
	return 0;
}

static int save(struct store *s, const struct record *r, struct error *e)
{
	if (sql(s, e, "DELETE FROM record WHERE night = ? AND test = ?", "is", r->night, r->test) < 0 ||
	    sql(s, e,
		"INSERT INTO record(night, test, command, build, build_id, status, message, search_end,"
		" complete, classes, executions, histories, seconds, processor, ended)"
		" VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		"issssissiiiiddd", r->night, r->test, r->command, r->build, r->build_id,
		(int64_t)r->status, r->message, r->end, (int64_t)r->complete, (int64_t)r->classes,
		(int64_t)r->executions, (int64_t)r->histories, r->seconds, r->processor, r->ended) < 0)
		return -1;
	return save_parts(s, r, sql_last_id(s), e);
}

int store_save(struct store *s, const struct record *r, struct error *e)
{
	if (sql(s, e, "BEGIN IMMEDIATE", "") < 0)
		return -1;
	if (save(s, r, e) == 0)
		return sql(s, e, "COMMIT", "");
	sql(s, NULL, "ROLLBACK", "");
	return -1;
}

/* ---- reading ---- */

static int read_faults(struct store *s, struct record *r, int64_t id, struct error *e)
{
	sqlite3_stmt *q = sql_query(s, e,
				    "SELECT fingerprint, kind, message, statements, file, line, classes,"
				    " history, schedule, known FROM fault WHERE record = ? ORDER BY rowid",
				    "i", id);
	int row = q ? 0 : -1;

	while (q && (row = sql_row(s, q, e)) > 0) {
		VEC_GROW(r->faults, r->nfaults, r->faults_capacity);
		r->faults[r->nfaults++] = (struct fault){
			.fingerprint = sql_text(q, 0),
			.kind = sql_text(q, 1),
			.message = sql_text(q, 2),
			.statements = sql_text(q, 3),
			.file = sqlite3_column_type(q, 4) == SQLITE_NULL ? NULL : sql_text(q, 4),
			.line = (uint64_t)sqlite3_column_int64(q, 5),
			.classes = (uint64_t)sqlite3_column_int64(q, 6),
			.history = sql_text(q, 7),
			.schedule = sql_text(q, 8),
			.known = sqlite3_column_int(q, 9),
		};
	}
	sqlite3_finalize(q);
	return row;
}

static int read_mends(struct store *s, struct record *r, int64_t id, struct error *e)
{
	sqlite3_stmt *q = sql_query(
		s, e, "SELECT blocks, disabled, proven FROM repair WHERE record = ? ORDER BY rank", "i", id);
	int row = q ? 0 : -1;

	while (q && (row = sql_row(s, q, e)) > 0) {
		VEC_GROW(r->mends, r->nmends, r->mends_capacity);
		r->mends[r->nmends++] =
			(struct mend){ .text = sql_text(q, 0),
				       .disabled = (uint64_t)sqlite3_column_int64(q, 1),
				       .proven = sqlite3_column_int(q, 2) };
	}
	sqlite3_finalize(q);
	return row;
}

static int read_limits(struct store *s, struct record *r, int64_t id, struct error *e)
{
	sqlite3_stmt *q =
		sql_query(s, e, "SELECT text FROM bound WHERE record = ? ORDER BY rowid", "i", id);
	int row = q ? 0 : -1;

	while (q && (row = sql_row(s, q, e)) > 0) {
		VEC_GROW(r->limits, r->nlimits, r->limits_capacity);
		r->limits[r->nlimits++] = sql_text(q, 0);
	}
	sqlite3_finalize(q);
	return row;
}

#define COLUMNS                                                                                    \
	"record.id, night, test, command, build, build_id, status, message, search_end, complete, classes,"    \
	" executions, histories, seconds, processor, record.ended"

static int read_record(struct store *s, sqlite3_stmt *q, struct record *r, struct error *e)
{
	int64_t id = sqlite3_column_int64(q, 0);
	int status = sqlite3_column_int(q, 6);

	*r = (struct record){
		.night = sqlite3_column_int64(q, 1),
		.test = sql_text(q, 2),
		.command = sql_text(q, 3),
		.build = sql_text(q, 4),
		.build_id = sql_text(q, 5),
		.status = status >= 0 && status < STATUS_COUNT ? (enum status)status : STATUS_FAILED,
		.message = sql_text(q, 7),
		.end = sql_text(q, 8),
		.complete = sqlite3_column_int(q, 9),
		.classes = (uint64_t)sqlite3_column_int64(q, 10),
		.executions = (uint64_t)sqlite3_column_int64(q, 11),
		.histories = (uint64_t)sqlite3_column_int64(q, 12),
		.seconds = sqlite3_column_double(q, 13),
		.processor = sqlite3_column_double(q, 14),
		.ended = sqlite3_column_double(q, 15),
	};
	if (read_faults(s, r, id, e) < 0 || read_mends(s, r, id, e) < 0)
		return -1;
	return read_limits(s, r, id, e);
}

static int read_records(struct store *s, sqlite3_stmt *q, struct record **list, uint32_t *n,
			struct error *e)
{
	uint32_t capacity = 0;
	int row = q ? 0 : -1;

	*list = NULL;
	*n = 0;
	while (q && (row = sql_row(s, q, e)) > 0) {
		VEC_GROW(*list, *n, capacity);
		row = read_record(s, q, &(*list)[(*n)++], e);
		if (row < 0)
			break;
	}
	sqlite3_finalize(q);
	return row < 0 ? -1 : 0;
}

int store_records(struct store *s, const char *suite, const char *test, int64_t before, uint32_t most,
		  struct record **list, uint32_t *n, struct error *e)
{
	return read_records(s,
			    sql_query(s, e,
				      "SELECT " COLUMNS " FROM record JOIN night ON night.id = night"
				      " WHERE suite = ?1 AND test = ?2 AND (?3 = 0 OR night < ?3)"
				      " ORDER BY night DESC LIMIT ?4",
				      "ssii", suite, test, before, (int64_t)most),
			    list, n, e);
}

int store_night(struct store *s, int64_t night, struct record **list, uint32_t *n, struct error *e)
{
	return read_records(
		s, sql_query(s, e, "SELECT " COLUMNS " FROM record WHERE night = ? ORDER BY test", "i", night),
		list, n, e);
}

int store_tests(struct store *s, const char *suite, char ***list, uint32_t *n, struct error *e)
{
	uint32_t capacity = 0;
	sqlite3_stmt *q = sql_query(s, e,
				    "SELECT DISTINCT test FROM record JOIN night ON night.id = night"
				    " WHERE suite = ? ORDER BY test",
				    "s", suite);
	int row = q ? 0 : -1;

	*list = NULL;
	*n = 0;
	while (q && (row = sql_row(s, q, e)) > 0) {
		VEC_GROW(*list, *n, capacity);
		(*list)[(*n)++] = sql_text(q, 0);
	}
	sqlite3_finalize(q);
	return row;
}

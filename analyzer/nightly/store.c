/* SPDX-License-Identifier: MIT */
#include "nightly/sql.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define VERSION 1
#define APPLICATION 0x6c706e31 /* tells the file from other databases */
#define PATIENCE_MS 60000      /* for another process that writes */

static const char schema[] =
	"CREATE TABLE night(id INTEGER PRIMARY KEY AUTOINCREMENT, suite TEXT NOT NULL, shard TEXT NOT NULL,"
	" revision TEXT NOT NULL, version TEXT NOT NULL, started REAL NOT NULL, ended REAL);"
	"CREATE TABLE record(id INTEGER PRIMARY KEY, night INTEGER NOT NULL REFERENCES night(id) ON DELETE CASCADE,"
	" test TEXT NOT NULL, command TEXT NOT NULL, build TEXT NOT NULL, build_id TEXT NOT NULL,"
	" status INTEGER NOT NULL, message TEXT, search_end TEXT NOT NULL, complete INTEGER NOT NULL,"
	" classes INTEGER NOT NULL, executions INTEGER NOT NULL, histories INTEGER NOT NULL,"
	" seconds REAL NOT NULL, processor REAL NOT NULL, ended REAL NOT NULL, UNIQUE(night, test));"
	"CREATE TABLE fault(record INTEGER NOT NULL REFERENCES record(id) ON DELETE CASCADE, fingerprint TEXT NOT NULL,"
	" kind TEXT NOT NULL, message TEXT NOT NULL, statements TEXT NOT NULL, file TEXT, line INTEGER NOT NULL,"
	" classes INTEGER NOT NULL, history TEXT NOT NULL, schedule TEXT NOT NULL, known INTEGER NOT NULL,"
	" UNIQUE(record, fingerprint));"
	"CREATE TABLE repair(record INTEGER NOT NULL REFERENCES record(id) ON DELETE CASCADE, rank INTEGER NOT NULL,"
	" blocks TEXT NOT NULL, disabled INTEGER NOT NULL, proven INTEGER NOT NULL, UNIQUE(record, rank));"
	"CREATE TABLE bound(record INTEGER NOT NULL REFERENCES record(id) ON DELETE CASCADE, text TEXT NOT NULL,"
	" UNIQUE(record, text));"
	"CREATE TABLE said(night INTEGER NOT NULL REFERENCES night(id) ON DELETE CASCADE, test TEXT NOT NULL,"
	" word TEXT NOT NULL, text TEXT NOT NULL, fingerprint TEXT NOT NULL, fresh INTEGER NOT NULL);"
	"CREATE INDEX record_by_test ON record(test, night);"
	"CREATE INDEX fault_by_fingerprint ON fault(fingerprint);"
	"CREATE INDEX said_by_night ON said(night);";

static int number_of(struct store *s, const char *pragma, int64_t *value, struct error *e)
{
	sqlite3_stmt *q = sql_query(s, e, pragma, "");
	int result = q ? sql_row(s, q, e) : -1;

	*value = result > 0 ? sqlite3_column_int64(q, 0) : 0;
	sqlite3_finalize(q);
	return result < 0 ? -1 : 0;
}

/* Another process may make the tables at the same time: what is there is asked inside the transaction. */
static int make_tables(struct store *s, struct error *e)
{
	char *pragmas = xasprintf("PRAGMA application_id=%d; PRAGMA user_version=%d;", APPLICATION, VERSION);
	int64_t version, tables;
	int result = sql(s, e, "BEGIN IMMEDIATE", "");

	if (result == 0 && (number_of(s, "PRAGMA user_version", &version, e) < 0 ||
			    number_of(s, "SELECT count(*) FROM sqlite_master", &tables, e) < 0))
		result = -1;
	if (result == 0 && !version && !tables &&
	    (sqlite3_exec(s->db, schema, NULL, NULL, NULL) != SQLITE_OK ||
	     sqlite3_exec(s->db, pragmas, NULL, NULL, NULL) != SQLITE_OK))
		result = sql_failed(s, e);
	if (result == 0)
		result = sql(s, e, "COMMIT", "");
	free(pragmas);
	return result;
}

static int check_version(struct store *s, bool read_only, struct error *e)
{
	int64_t version, application;

	if (!read_only && make_tables(s, e) < 0)
		return -1;
	if (number_of(s, "PRAGMA application_id", &application, e) < 0 ||
	    number_of(s, "PRAGMA user_version", &version, e) < 0)
		return -1;
	if (application != APPLICATION)
		return error_set(e, "%s is a database, but not one of nights", s->path);
	if (version != VERSION)
		return error_set(e, "%s was written by another version of linchpin", s->path);
	return 0;
}

struct store *store_open(const char *path, bool read_only, struct error *e)
{
	struct store *s = xcalloc(1, sizeof *s);
	int flags = read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;

	s->path = xstrdup(path);
	s->locks = -1;
	if (sqlite3_open_v2(path, &s->db, flags, NULL) != SQLITE_OK) {
		sql_failed(s, e);
		store_close(s);
		return NULL;
	}
	sqlite3_busy_timeout(s->db, PATIENCE_MS);
	/* What the file defines is not trusted: no functions or tables with effects. */
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(s->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	if (check_version(s, read_only, e) < 0 || sql(s, e, "PRAGMA foreign_keys=ON", "") < 0) {
		store_close(s);
		return NULL;
	}
	return s;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	sqlite3_close(s->db);
	if (s->locks >= 0)
		close(s->locks);
	free(s->path);
	free(s);
}

/* ---- nights ---- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Locks a night for this process: 1, or 0 if another one has it. A lock of the open file, so a process
 * that is killed has none. */
static int lock_night(struct store *s, int64_t night, struct error *e)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = night, .l_len = 1 };
	char *path;

	if (s->locks < 0) {
		path = xasprintf("%s-running", s->path);
		s->locks = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
		if (s->locks < 0)
			error_set(e, "%s: %s", path, strerror(errno));
		free(path);
		if (s->locks < 0)
			return -1;
	}
	if (fcntl(s->locks, F_OFD_SETLK, &lock) == 0)
		return 1;
	if (errno == EAGAIN || errno == EACCES)
		return 0;
	return error_set(e, "%s-running: %s", s->path, strerror(errno));
}

/* The last night of the suite and shard that nobody runs, if it was interrupted at this revision. */
static int find_interrupted(struct store *s, struct night *n, struct error *e)
{
	sqlite3_stmt *q = sql_query(s, e,
				    "SELECT id, revision, started, ended IS NOT NULL,"
				    " (SELECT count(*) FROM record WHERE night = night.id)"
				    " FROM night WHERE suite = ? AND shard = ? ORDER BY id DESC",
				    "ss", n->suite, n->shard);
	int row = q ? 1 : -1, locked = 0;

	while (row > 0 && !locked && (row = sql_row(s, q, e)) > 0) {
		const char *revision = (const char *)sqlite3_column_text(q, 1);

		if (sqlite3_column_int(q, 3))
			break;
		locked = lock_night(s, sqlite3_column_int64(q, 0), e);
		if (locked < 0)
			row = -1;
		if (locked <= 0)
			continue;
		if (!revision || strcmp(revision, n->revision) != 0)
			break;
		n->id = sqlite3_column_int64(q, 0);
		n->started = sqlite3_column_double(q, 2);
		n->tests = (uint64_t)sqlite3_column_int64(q, 4);
	}
	sqlite3_finalize(q);
	return row < 0 ? -1 : 0;
}

static int begin(struct store *s, bool again, struct night *n, struct error *e)
{
	int locked;

	if (!again && find_interrupted(s, n, e) < 0)
		return -1;
	if (n->id)
		return 0;
	n->started = now();
	if (sql(s, e, "INSERT INTO night(suite, shard, revision, version, started) VALUES(?, ?, ?, ?, ?)",
		"ssssd", n->suite, n->shard, n->revision, n->version, n->started) < 0)
		return -1;
	n->id = sql_last_id(s);
	locked = lock_night(s, n->id, e);
	return locked == 0 ? error_set(e, "%s: night %lld is locked", s->path, (long long)n->id) :
	       locked < 0  ? -1 :
			     0;
}

int store_begin(struct store *s, const char *suite, const char *shard, const char *revision, bool again,
		struct night *n, struct error *e)
{
	*n = (struct night){ .suite = xstrdup(suite),
			     .shard = xstrdup(shard),
			     .revision = xstrdup(revision),
			     .version = xstrdup(LINCHPIN_VERSION) };
	if (sql(s, e, "BEGIN IMMEDIATE", "") < 0)
		return -1;
	if (begin(s, again, n, e) == 0)
		return sql(s, e, "COMMIT", "");
	sql(s, NULL, "ROLLBACK", "");
	return -1;
}

int sql_say(struct store *s, int64_t night, const struct said *said, uint32_t nsaid, struct error *e)
{
	for (uint32_t i = 0; i < nsaid; i++)
		if (sql(s, e,
			"INSERT INTO said(night, test, word, text, fingerprint, fresh) VALUES(?, ?, ?, ?, ?, ?)",
			"issssi", night, said[i].test, said[i].word, said[i].text, said[i].fingerprint,
			(int64_t)said[i].fresh) < 0)
			return -1;
	return 0;
}

static int say_all(struct store *s, int64_t night, const struct said *said, uint32_t nsaid,
		   struct error *e)
{
	if (sql(s, e, "DELETE FROM said WHERE night = ?", "i", night) < 0 ||
	    sql_say(s, night, said, nsaid, e) < 0)
		return -1;
	return sql(s, e, "UPDATE night SET ended = ? WHERE id = ?", "di", now(), night);
}

int store_end(struct store *s, int64_t night, const struct said *said, uint32_t nsaid, struct error *e)
{
	if (sql(s, e, "BEGIN IMMEDIATE", "") < 0)
		return -1;
	if (say_all(s, night, said, nsaid, e) == 0)
		return sql(s, e, "COMMIT", "");
	sql(s, NULL, "ROLLBACK", "");
	return -1;
}

int store_nights(struct store *s, const char *suite, uint32_t most, struct night **list, uint32_t *n,
		 struct error *e)
{
	uint32_t capacity = 0;
	sqlite3_stmt *q = sql_query(
		s, e,
		"SELECT id, suite, shard, revision, version, started, coalesce(ended, 0),"
		" (SELECT count(*) FROM record WHERE night = night.id),"
		" (SELECT count(*) FROM record WHERE night = night.id AND status = 2),"
		" (SELECT count(*) FROM said WHERE night = night.id AND fresh)"
		" FROM night WHERE ?1 IS NULL OR suite = ?1 ORDER BY id DESC LIMIT ?2",
		"si", suite, (int64_t)most);
	int row = q ? 0 : -1;

	*list = NULL;
	*n = 0;
	while (q && (row = sql_row(s, q, e)) > 0) {
		VEC_GROW(*list, *n, capacity);
		(*list)[(*n)++] = (struct night){
			.id = sqlite3_column_int64(q, 0),
			.suite = sql_text(q, 1),
			.shard = sql_text(q, 2),
			.revision = sql_text(q, 3),
			.version = sql_text(q, 4),
			.started = sqlite3_column_double(q, 5),
			.ended = sqlite3_column_double(q, 6),
			.tests = (uint64_t)sqlite3_column_int64(q, 7),
			.violations = (uint64_t)sqlite3_column_int64(q, 8),
			.fresh = (uint64_t)sqlite3_column_int64(q, 9),
		};
	}
	sqlite3_finalize(q);
	return row;
}

int store_said(struct store *s, int64_t night, struct said **list, uint32_t *n, struct error *e)
{
	uint32_t capacity = 0;
	sqlite3_stmt *q = sql_query(s, e,
				    "SELECT test, word, text, fingerprint, fresh FROM said"
				    " WHERE night = ? ORDER BY rowid",
				    "i", night);
	int row = q ? 0 : -1;

	*list = NULL;
	*n = 0;
	while (q && (row = sql_row(s, q, e)) > 0) {
		VEC_GROW(*list, *n, capacity);
		(*list)[(*n)++] = (struct said){ .night = night,
						 .test = sql_text(q, 0),
						 .word = sql_text(q, 1),
						 .text = sql_text(q, 2),
						 .fingerprint = sql_text(q, 3),
						 .fresh = sqlite3_column_int(q, 4) };
	}
	sqlite3_finalize(q);
	return row;
}

void night_free(struct night *n)
{
	free(n->suite);
	free(n->shard);
	free(n->revision);
	free(n->version);
}

void said_free(struct said *list, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		free(list[i].test);
		free(list[i].word);
		free(list[i].text);
		free(list[i].fingerprint);
	}
	free(list);
}

/* SPDX-License-Identifier: MIT
 *
 * The database of nights (SQLite 3). A night is one run of a suite, or of one shard of it; it has a
 * record for each test that is done. Several processes may use one database: each change is a
 * transaction, and a night that is going on is locked by its process, so that what was interrupted can be told
 * from what is running. Nothing that the database says is ever executed.
 */
#ifndef LINCHPIN_NIGHTLY_STORE_H
#define LINCHPIN_NIGHTLY_STORE_H

#include "base/util.h"

/* What was found, by fingerprint: one of all violations that have it. */
struct fault {
	char *fingerprint, *kind, *message, *statements;
	char *file; /* NULL: not known */
	uint64_t line, classes;
	char *history, *schedule;
	bool known; /* the file of the suite expects it */
};

struct mend {
	char *text;
	uint64_t disabled;
	bool proven;
};

/* How a test ended. */
enum status {
	STATUS_CLEAN,
	STATUS_UNFINISHED, /* nothing was found, but not everything was seen */
	STATUS_VIOLATION,
	STATUS_FAILED, /* it could not be explored */
	STATUS_COUNT,
};
const char *status_name(enum status s);

/* What a test came to in one night. */
struct record {
	int64_t night;
	double ended; /* seconds since 1970 */
	char *test, *command;
	char *build; /* a digest of all that the result depends on; "": not known */
	char *build_id;
	enum status status;
	char *message; /* why it failed */
	char *end;     /* why the search ended: finished, executions, time, ... */
	bool complete;
	uint64_t classes, executions, histories;
	double seconds, processor;
	struct fault *faults;
	uint32_t nfaults, faults_capacity;
	struct mend *mends;
	uint32_t nmends, mends_capacity;
	char **limits;
	uint32_t nlimits, limits_capacity;
};
void record_free(struct record *r);
void records_free(struct record *list, uint32_t n);

struct night {
	int64_t id;
	char *suite, *shard, *revision, *version;
	double started, ended; /* ended: 0 while it is not */
	uint64_t tests, violations, fresh;
};
void night_free(struct night *n);

/* What is said of a test in a night, see compare.h. */
struct said {
	int64_t night;
	char *test, *word, *text, *fingerprint; /* fingerprint: "" if it is about none */
	bool fresh;
};
void said_free(struct said *list, uint32_t n);

struct store;

/* NULL and *e if it cannot be opened, or is no database of nights, or of a later version. Only to be
 * read: it must be there. */
struct store *store_open(const char *path, bool read_only, struct error *e);
void store_close(struct store *s);

/* The nights of several databases that are finished, in memory: shards of one night are one (join.c). */
struct store *store_join(struct store *const *from, uint32_t n, struct error *e);
/* All of it as a new file. */
int store_write(struct store *s, const char *path, struct error *e);

/* Goes on with the last night of this suite, shard and revision if it was interrupted and `again` is false,
 * or begins one. *n is to be freed; n->tests says how many tests are done. */
int store_begin(struct store *s, const char *suite, const char *shard, const char *revision, bool again,
		struct night *n, struct error *e);
/* It is over; what is said replaces what was. */
int store_end(struct store *s, int64_t night, const struct said *said, uint32_t nsaid, struct error *e);
/* One transaction; replaces a record of the same test and night. */
int store_save(struct store *s, const struct record *r, struct error *e);

/* Records of a test, newest first: those of nights before `before` (0: of all), `most` at most. */
int store_records(struct store *s, const char *suite, const char *test, int64_t before, uint32_t most,
		  struct record **list, uint32_t *n, struct error *e);
/* Records of a night, by name. */
int store_night(struct store *s, int64_t night, struct record **list, uint32_t *n, struct error *e);
/* Nights, newest first; of any suite if it is NULL. */
int store_nights(struct store *s, const char *suite, uint32_t most, struct night **list, uint32_t *n,
		 struct error *e);
int store_said(struct store *s, int64_t night, struct said **list, uint32_t *n, struct error *e);
/* The names of all tests of a suite. */
int store_tests(struct store *s, const char *suite, char ***list, uint32_t *n, struct error *e);

#endif

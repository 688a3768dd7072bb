/* SPDX-License-Identifier: MIT
 *
 * Specification files: which functions of a program are operations of which object.
 * docs/spec-files.md describes the language.
 */
#ifndef LINCHPIN_SPEC_FILE_H
#define LINCHPIN_SPEC_FILE_H

#include "base/util.h"

#define SPEC_MAX_ARGS   4
#define SPEC_MAX_PARAMS 16

struct spec_place {
	unsigned line, column; /* from 1; 0: nowhere */
};

enum spec_term_kind {
	TERM_VOID,  /* no result */
	TERM_EMPTY, /* "there was nothing" */
	TERM_CONST, /* value */
	TERM_NAME,  /* a parameter by whose address the function gives a result, or "ret" */
	TERM_BOOL,  /* the returned value as a boolean */
};

struct spec_term {
	enum spec_term_kind kind;
	char *name;
	int64_t value;
	struct spec_place place;
};

enum spec_compare { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE };

/* `then`; or, with a condition, `then if left COMPARE right else otherwise`. */
struct spec_result {
	bool conditional;
	struct spec_term then, left, otherwise;
	enum spec_compare compare;
	int64_t right;
};

struct spec_param {
	char *name;   /* "_": ignored */
	bool pointee; /* "*name": what it points to */
	struct spec_place place;
};

struct spec_op {
	char *name;
	char *args[SPEC_MAX_ARGS];
	struct spec_place arg_places[SPEC_MAX_ARGS];
	unsigned nargs;
	struct spec_result result;
	char *function;
	struct spec_param params[SPEC_MAX_PARAMS];
	unsigned nparams;
	uint32_t object; /* index in spec_file.objects */
	struct spec_place place, function_place;
};

struct spec_object {
	char *specification; /* as for linchpin_object() */
	char *by;            /* the parameter that tells objects apart; "this" if not said */
	struct spec_place place;
};

struct spec_library { /* one that the program loads while it runs */
	char *path;
	struct spec_place place;
};

/* FUNCTION(ARGUMENT, ...), written into clients. */
struct spec_call {
	char *function; /* NULL: nothing is said */
	char *args[SPEC_MAX_PARAMS];
	unsigned nargs;
	struct spec_place place;
};

enum spec_values_kind {
	VALUES_ORDERED, /* a range: only the order of values counts */
	VALUES_ALIKE,   /* no value differs from another one */
	VALUES_LISTED,  /* these, as they are */
	VALUES_FRESH,   /* another one for each operation */
};

struct spec_values {
	char *argument;
	enum spec_values_kind kind;
	int64_t *list;
	uint32_t n, capacity;
	struct spec_place place;
};

struct spec_name {
	char *function;
	unsigned group; /* names of one line belong together */
	struct spec_place place;
};

/* What clients are made from, besides operations. */
struct spec_clients {
	struct spec_call create, check, begin, end;
	struct spec_values *values;
	uint32_t nvalues, values_capacity;
	struct spec_name *waits;
	uint32_t nwaits, waits_capacity;
	struct spec_name *singles;
	uint32_t nsingles, singles_capacity;
};

struct spec_file {
	char *path; /* for messages */
	struct spec_library *libraries;
	uint32_t nlibraries, libraries_capacity;
	struct spec_object *objects;
	uint32_t nobjects, objects_capacity;
	struct spec_op *ops;
	uint32_t nops, ops_capacity;
	struct spec_clients clients;
	bool guessed; /* nobody wrote it */
};

/* 0, or -1 and *e with "PATH:LINE:COLUMN: error: ...". Free *f with spec_file_free in both
 * cases. */
int spec_file_parse(struct spec_file *f, const char *path, const char *text, struct error *e);
int spec_file_read(struct spec_file *f, const char *path, struct error *e);
void spec_file_free(struct spec_file *f);

/* Sets "PATH:LINE:COLUMN: error: MESSAGE"; -1. */
int spec_error(const struct spec_file *f, struct spec_place place, struct error *e,
	       const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Does this name in a parameter list of an operation stand for the object? */
bool spec_is_object(const struct spec_file *f, const struct spec_op *op, const char *name);

/* ", did you mean `NAME`?" for the nearest of the names, or an empty string; to free. */
char *spec_did_you_mean(const char *word, const char *const *names, size_t n);

#endif

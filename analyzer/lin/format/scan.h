/* SPDX-License-Identifier: MIT
 *
 * What the readers of history formats share: a cursor that knows lines and columns for messages,
 * values and names out of text, and the matching of calls with returns.
 */
#ifndef LINCHPIN_LIN_FORMAT_SCAN_H
#define LINCHPIN_LIN_FORMAT_SCAN_H

#include "lin/format/format.h"

#define NAME_CACHE  16
#define METHODS_MAX 4096 /* histories have a handful, and history_method is a linear search */

struct name_cache {
	const char *name;
	uint32_t size, id;
};

struct scan {
	const char *name;       /* of the input, for messages */
	const char *end;        /* a NUL is there */
	const char *p;          /* where reading goes on */
	const char *line_start; /* of line number `line`, at or before what is being read */
	uint32_t line;
	struct history *h;
	struct error *e;
	uint32_t only; /* the object of operations that name none, + 1; 0: not there yet */
	struct name_cache methods[NAME_CACHE], objects[NAME_CACHE];
};

/* Records "NAME:LINE:COLUMN: error: expected WHAT, not ..." for the place `at` and returns -1. */
int scan_fail(struct scan *s, const char *at, const char *what, ...)
	__attribute__((format(printf, 3, 4)));
/* The same without saying what stands there. */
int scan_refuse(struct scan *s, const char *at, const char *what, ...)
	__attribute__((format(printf, 3, 4)));
/* The line number of `at`, which must not lie before the last place asked for. */
uint32_t scan_line(struct scan *s, const char *at);
/* Steps to the next line: [*from, *to) without its line end. False at the end of the input. */
bool scan_next_line(struct scan *s, const char **from, const char **to);

static inline const char *skip_blank(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* Decimal with an optional sign. NULL if there is no number at p or it does not fit; else where it
 * ends. */
const char *scan_int(const char *p, const char *end, int64_t *v);
/* A thread number, 0 to INT32_MAX. */
const char *scan_thread(struct scan *s, const char *p, const char *end, int32_t *thread);
/* Is [p, p+n) this word, ignoring case? */
bool word_is(const char *p, size_t n, const char *word);

/* What an unquoted word means: a number, true, false, nil and its like, ?, or else a string. */
struct value scan_word(struct scan *s, const char *p, size_t n);
/* A word or a quoted string at *p, which moves behind it. -1 after scan_fail. */
int scan_value(struct scan *s, const char **p, const char *end, struct value *v);
/* "(a, b)" or "a b" as the arguments of op; stops at the end, at "->" and at "#". */
int scan_args(struct scan *s, const char **p, const char *end, struct history_op *op);
/* A quoted string with escapes at *p, interned. */
int scan_string(struct scan *s, const char **p, const char *end, struct value *v);
/* Adds an argument; -1 after scan_fail if there are too many. */
int scan_add_arg(struct scan *s, const char *at, struct history_op *op, struct value v);

/* Where the name (of an operation, an object) that starts at p ends. */
const char *name_end(const char *p, const char *end);
/* Finds or adds an operation or object name; -1 after scan_fail if [p, p+n) is empty or too
 * long. */
int scan_method(struct scan *s, const char *p, size_t n, uint32_t *method);
int scan_object(struct scan *s, const char *p, size_t n, uint32_t *object);
/* The object of histories that name none. */
uint32_t scan_only_object(struct scan *s);

/* Calls that have not returned yet, by thread. Zero-initialise; pairing_free. */
struct pairing {
	struct pairing_slot {
		int64_t thread;
		size_t op; /* index + 1; 0: the slot is free */
		bool open;
	} * slots;
	size_t used, capacity;
};

/* False if the thread has an open call. */
bool pairing_call(struct pairing *p, int64_t thread, size_t op);
/* The open call of the thread, which is closed by this; SIZE_MAX if there is none. */
size_t pairing_return(struct pairing *p, int64_t thread);
void pairing_free(struct pairing *p);

#endif

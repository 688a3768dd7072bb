/* SPDX-License-Identifier: MIT
 *
 * Histories: operations with call and return times, arguments and results; and the verdict of
 * checking one against a sequential specification (Herlihy and Wing, "Linearizability", TOPLAS
 * 1990).
 */
#ifndef LINCHPIN_LIN_HISTORY_H
#define LINCHPIN_LIN_HISTORY_H

#include "base/util.h"

enum value_tag {
	VALUE_NONE = 0, /* void; no result */
	VALUE_INT,      /* v */
	VALUE_STRING,   /* v = index in history->strings */
	VALUE_EMPTY,    /* there was nothing: pop of an empty stack, get of an absent key, nil */
	VALUE_UNKNOWN,  /* a result that was not recorded: anything is allowed */
};

/* Packed, because a history is mostly values: 9 bytes each instead of 16. */
struct value {
	uint8_t tag; /* enum value_tag */
	int64_t v;   /* booleans are VALUE_INT 0 and 1 */
} __attribute__((packed));

#define HISTORY_MAX_ARGS 4
#define TIME_PENDING     INT64_MAX

struct history_op {
	/* times; ret == TIME_PENDING: it never returned and may or may not take effect */
	int64_t call, ret;
	int32_t thread;
	uint32_t object; /* index in history->objects */
	uint32_t method; /* index in history->methods (a name; an ADT maps it to its own codes) */
	uint32_t line;   /* in the input file, 0 if there is none */
	uint32_t symbol; /* of `orders` */
	uint8_t nargs;
	bool weak; /* it failed perhaps only because another one was busy: counts as pending */
	struct value args[HISTORY_MAX_ARGS];
	struct value result;
};

struct history {
	struct history_op *ops;
	size_t nops, ops_capacity;
	char **methods;
	uint32_t nmethods, methods_capacity;
	char **strings;
	uint32_t nstrings, strings_capacity;
	struct history_object {
		char *name;          /* for messages */
		char *specification; /* ADT name, NULL if not said */
		uint32_t number;     /* in `orders` */
	} * objects;
	uint32_t nobjects, objects_capacity;
	uint32_t *string_index;
	uint32_t string_slots; /* hash index of strings: position + 1 */
	uint32_t *object_index;
	uint32_t object_slots; /* the same of objects, by name */
	char **threads;        /* names by number; where there is none, it is the number */
	uint32_t nthreads;
	/* for the specification `self`: sequential runs of the program; NULL: none. Not owned */
	const struct orders *orders;
	bool lenient; /* what may follow a state of `orders` that is open is allowed */
};

void history_init(struct history *h);
void history_free(struct history *h);
struct history_op *history_add(struct history *h);            /* a zeroed operation at the end */
uint32_t history_method(struct history *h, const char *name); /* finds or adds */
/* Finds or adds; equal strings have equal indices, which is what the checker relies on. */
uint32_t history_string(struct history *h, const char *s, size_t n);
/* Finds or adds by name; a specification that is given replaces none. */
uint32_t history_object(struct history *h, const char *name, const char *specification);
/* Names a thread, for sentences; takes over `name`. */
void history_thread(struct history *h, uint32_t thread, char *name);

static inline bool history_has_thread(const struct history *h, uint32_t thread)
{
	return thread < h->nthreads && h->threads[thread];
}

#endif

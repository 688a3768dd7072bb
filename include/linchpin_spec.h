/* SPDX-License-Identifier: MIT
 *
 * linchpin_spec.h: a sequential specification of your own, as a shared object.
 *
 *	cc -shared -fPIC -o myspec.so myspec.c
 *	linchpin check --adt ./myspec.so history.txt
 *	linchpin check --adt './myspec.so(3)' history.txt	# "3" is passed to init
 *
 * The shared object exports one function,
 *
 *	const struct linchpin_spec *linchpin_spec(void);
 *
 * States are immutable: apply() makes a new state and leaves the old one alone. The checker keeps
 *every state that it has met until the check is over, compares new ones with hash() and equal(),
 *and frees each once. Functions may be called from several threads, but never two at the same time.
 *They must terminate, and must depend on nothing but their arguments.
 */
#ifndef LINCHPIN_SPEC_H
#define LINCHPIN_SPEC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LINCHPIN_SPEC_VERSION 1

enum linchpin_spec_kind {
	LINCHPIN_SPEC_NONE = 0, /* no result (void) */
	LINCHPIN_SPEC_INT,      /* integer; booleans are 0 and 1 */
	LINCHPIN_SPEC_STRING,   /* text */
	LINCHPIN_SPEC_EMPTY,    /* there was nothing: empty, absent, nil */
	LINCHPIN_SPEC_UNKNOWN   /* the result is not known: every result must be allowed */
};

struct linchpin_spec_value {
	int kind; /* enum linchpin_spec_kind */
	int64_t integer;
	const char *string; /* lives as long as the check */
};

struct linchpin_spec_operation {
	const char *name; /* as it is in the history */
	unsigned nargs;   /* at most 4 */
	struct linchpin_spec_value args[4];
	struct linchpin_spec_value result;
};

struct linchpin_spec {
	unsigned version; /* LINCHPIN_SPEC_VERSION */
	const char *name; /* of the data type, for messages: "ring buffer" */
	/* The initial state; `parameters` is the text in parentheses, "" if there is none. NULL:
	 * bad parameters. */
	void *(*init)(const char *parameters);
	/*
	 * The state after the operation, newly made, if the operation with its result is possible
	 * in this state; else NULL. When the state does not change, returning `state` itself saves
	 * time. *known must be set to 0 if the type has no operation of this name (or not with
	 * these arguments); it is 1 on entry.
	 */
	void *(*apply)(void *state, const struct linchpin_spec_operation *operation, int *known);
	int (*equal)(const void *a, const void *b); /* 1 if no operation can tell them apart */
	uint64_t (*hash)(const void *state);        /* equal states have equal hashes */
	void (*free)(void *state);
	uint64_t (*size)(const void *state); /* bytes it takes, for the memory bound; may be NULL */
};

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct linchpin_spec *
linchpin_spec(void);

#ifdef __cplusplus
}
#endif

#endif

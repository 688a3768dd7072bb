/* SPDX-License-Identifier: MIT
 *
 * linchpin_spec.h: a sequential specification of your own, as a shared object.
 *
 *	cc -shared -fPIC -o myspec.so myspec.c
 *	linchpin check --adt ./myspec.so history.txt
 *	linchpin check --adt './myspec.so(3)' history.txt       # init("3")
 *
 * The shared object exports one function:
 *
 *	const struct linchpin_spec *linchpin_spec(void);
 *
 * It returns a structure that lives as long as the process. examples/spec_plugin.c is a complete
 * example: a bank account.
 *
 *	function   may be NULL   meaning
 *	init       no            the initial state
 *	apply      no            the state after an operation, or NULL: impossible
 *	equal      no            are two states the same?
 *	hash       no            equal states have equal hashes
 *	free       no            ends the life of a state
 *	size       yes           the bytes that a state takes
 *
 * States are immutable: apply() makes a new state and leaves the old one alone. The checker owns
 * the states that init() and apply() return. It keeps each different state until the check is over
 * and frees each once.
 *
 * Functions may be called from several threads, but never two at the same time. They must end, and
 * their results must depend on nothing but their arguments. Without memory call abort(): a NULL
 * from apply() would mean that the operation is impossible.
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
	LINCHPIN_SPEC_UNKNOWN /* the result is not known (it never returned): allow every result */
};

struct linchpin_spec_value {
	int kind;           /* enum linchpin_spec_kind */
	int64_t integer;    /* of LINCHPIN_SPEC_INT */
	const char *string; /* of LINCHPIN_SPEC_STRING; lives as long as the check */
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
	/*
	 * The initial state. `parameters` is the text in parentheses, "" if there is none. NULL
	 * means bad parameters; the check then ends with an error.
	 */
	void *(*init)(const char *parameters);
	/*
	 * The state after the operation, if the operation with its result is possible in this
	 * state; else NULL. The state is newly made, or `state` itself if it does not change, which
	 * saves time. *known is 1 on entry; set it to 0 if the type has no operation of this name,
	 * or not with these arguments.
	 */
	void *(*apply)(void *state, const struct linchpin_spec_operation *operation, int *known);
	int (*equal)(const void *a, const void *b); /* 1 if no operation can tell them apart */
	uint64_t (*hash)(const void *state);        /* equal states have equal hashes */
	void (*free)(void *state);
	uint64_t (*size)(const void *state); /* for --memory; without it 64 bytes are assumed */
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

/* SPDX-License-Identifier: MIT
 *
 * Turning operations of a history into struct lin_op; shared by compile.c and problem.c.
 */
#ifndef LINCHPIN_LIN_COMPILE_H
#define LINCHPIN_LIN_COMPILE_H

#include "lin/problem.h"

/* How the operation names of a history read in one specification. */
struct method_map {
	const struct lin_spec *spec;
	int16_t *methods; /* by index in history->methods: method, or one of these */
#define METHOD_NEW     (-2)
#define METHOD_NONE    (-1)
#define METHOD_RELAXED 0x4000
};

struct builder {
	struct lin_problem *p;
	const struct history *h;
	const struct lin_options *options;
	struct error *e;
	struct method_map *maps; /* one an object */
	bool *unkeyed;           /* by object: some operation has no key */
	int64_t smallest;        /* integers below it are taken */
	bool may_split;          /* there may be more than one part */
};

/* Finds the specification of an object; -1 and an error if it has none or it is wrong. */
int prepare_object(struct builder *b, uint32_t object);

/* The method of an operation (with METHOD_RELAXED), or -1 and an error. */
int compile_method(struct builder *b, const struct history_op *op);
/* Does an operation with that method say nothing? */
bool compile_drops(const struct builder *b, const struct history_op *op, int method);
/* The key of an operation, if its method has one. */
bool compile_key(const struct builder *b, const struct history_op *op, int method, int64_t *key);

/* 1: *out is filled; 0: the operation says nothing; -1: error. */
int compile(struct builder *b, const struct history_op *op, struct lin_op *out);

#endif

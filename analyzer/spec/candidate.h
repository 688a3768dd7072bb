/* SPDX-License-Identifier: MIT
 *
 * A function that may be an operation, as proposals see it.
 */
#ifndef LINCHPIN_SPEC_CANDIDATE_H
#define LINCHPIN_SPEC_CANDIDATE_H

#include "spec/functions.h"
#include "spec/op_name.h"
#include "spec/returns.h"

struct candidate {
	const struct function *fn;
	const struct fn_instance *proto;
	struct op_name name;
	struct returns returns;
	bool with_object; /* the first parameter is the object */
	int out;          /* the parameter by which it gives a result, or -1 */
	bool opaque;      /* what it gives by it is a structure, which is not looked at */
	unsigned nargs;
	bool taken;
};

/* How a candidate is written as an operation of a specification. */
struct op_form {
	const char *operation;
	char result[160];   /* empty: none is looked at */
	const char *unsure; /* what is not certain, NULL: nothing */
	bool may_fail;      /* it puts something in, and says whether it did */
	bool lost;          /* not all is certain that is needed to have the whole result */
};

void candidate_form(const struct candidate *c, const char *specification, struct op_form *form);

/* Does it give a structure by its last parameter, as the verb says? `remove` may be given one. */
bool candidate_fills_structure(const struct candidate *c);

/* The name of a parameter in a specification file; `buffer` is for those without a usable one. */
const char *candidate_param(const struct candidate *c, unsigned i, char *buffer, size_t size);

#endif

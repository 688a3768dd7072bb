/* SPDX-License-Identifier: MIT
 *
 * What the name of a function says: `my_list_try_remove` is the operation try_remove of a my_list.
 */
#ifndef LINCHPIN_SPEC_OP_NAME_H
#define LINCHPIN_SPEC_OP_NAME_H

#include <stdbool.h>

enum op_role {
	ROLE_NONE, /* the name is not that of an operation */
	ROLE_ADD,  /* puts in */
	ROLE_TAKE, /* takes out */
	ROLE_LOOK, /* says whether something is in */
	ROLE_GET,  /* gives what is in */
	ROLE_SIZE,
	ROLE_EMPTY, /* is it? */
	ROLE_CLEAR,
	ROLE_COUNT, /* counts up or down */
	ROLE_CAS,   /* writes if a value is there, or gives the one before */
	ROLE_LOCK,
	ROLE_UNLOCK,
	ROLE_OTHER, /* changes something, no data type says what */
};

struct op_name {
	enum op_role role;
	char verb[24];      /* "remove" */
	char operation[64]; /* "try_remove" */
	char object[128];   /* "my_list": the rest of the name */
	bool ended;         /* it is about one of two ends: push_front */
};

void op_name_read(const char *function, struct op_name *out);

#endif

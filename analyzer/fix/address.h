/* SPDX-License-Identifier: MIT
 *
 * Which object an expression names, and what memory is read to find that out.
 */
#ifndef LINCHPIN_FIX_ADDRESS_H
#define LINCHPIN_FIX_ADDRESS_H

#include "fix/tree.h"

/* Calls `found` for all that the expression reads, besides local variables and constants, to know
 * which object it names, or points to: a member or global variable, or what has no name of its own,
 * as an element of an array or the result of a call. That of `&list->head->lock` is the member
 * `head`. It returns true to end that; so does the function then. */
bool address_reads(const struct unit *u, struct node *expression,
		   bool (*found)(const struct node *n, void *data), void *data);

bool type_is_pointer(const char *type);
bool type_is_array(const char *type);
bool type_is_const(const char *type);

#endif

/* SPDX-License-Identifier: MIT */
#ifndef LINCHPIN_SPEC_FN_TYPE_H
#define LINCHPIN_SPEC_FN_TYPE_H

#include "spec/functions.h"

#include <elfutils/libdw.h>

/* The type of a DIE (its DW_AT_type; none is void). *bytes is the size of a type of the kind
 * TYPE_OTHER, 0 if it is not known; *is_float whether it is a floating-point number. */
void fn_type_read(Dwarf_Die *die, struct fn_type *type, uint64_t *bytes, bool *is_float);
void fn_type_free(struct fn_type *type);

#endif

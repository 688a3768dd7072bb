/* SPDX-License-Identifier: MIT
 *
 * The list of built-in specifications; the build writes adt_list.h from the names of the files in
 * adt/.
 */
#include "lin/adt.h"

#define ADT_FILE(file) extern const struct adt *const adt_##file[];
#include "adt_list.h"
#undef ADT_FILE

#define ADT_FILE(file) adt_##file,
static const struct adt *const *const files[] = {
#include "adt_list.h"
	NULL,
};

const struct adt *const *const *const adt_files = files;

/* SPDX-License-Identifier: MIT
 *
 * Which build a file is.
 */
#ifndef LINCHPIN_SOURCE_BUILD_ID_H
#define LINCHPIN_SOURCE_BUILD_ID_H

#include <elfutils/libdwfl.h>

/* The build-id of an opened file, in hexadecimal; "-" if it has none. Free it. */
char *build_id_of(Dwfl_Module *module);

/* The same of the file at a path; NULL if that is no ELF file. */
char *build_id_of_file(const char *path);

#endif

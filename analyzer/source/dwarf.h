/* SPDX-License-Identifier: MIT
 *
 * ELF files and their debug information: what is needed beyond libdw to read them.
 */
#ifndef LINCHPIN_SOURCE_DWARF_H
#define LINCHPIN_SOURCE_DWARF_H

#include "base/util.h"

#include <elfutils/libdwfl.h>

/* Opens a file, and its separate debug file if there is one. NULL on failure, and the reason, without
 * the path, in *e (which may be NULL). End it with dwfl_end, which ends *module, too. */
Dwfl *dwarf_open(const char *path, Dwfl_Module **module, struct error *e);

/* Without a file yet: for dwfl_report_elf. NULL if there is no memory. */
Dwfl *dwarf_begin_process(void);

/* Goes to the next sibling; false if there is none. Damaged siblings that lead back are none. */
bool dwarf_next_sibling(Dwarf_Die *die);

/* Did the compiler split off a part of the function `around`, and put it back as `die`? Then that is called at
 * the line where the function is declared, which no call in the source is. It is the same function. */
bool dwarf_is_part(Dwarf_Die *around, Dwarf_Die *die);

/* Does the file belong to the system: is it in one of the directories where the loader looks for
 * libraries by itself? */
bool system_library(const char *path);

#endif

/* SPDX-License-Identifier: MIT
 *
 * What everybody who reads DWARF needs beside libdw.
 */
#ifndef LINCHPIN_SOURCE_DWARF_H
#define LINCHPIN_SOURCE_DWARF_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>

/* Goes to the next sibling; false if there is none. Damaged siblings that lead back are none. */
bool module_next_die(Dwarf_Die *die);

#endif

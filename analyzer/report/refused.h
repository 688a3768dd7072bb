/* SPDX-License-Identifier: MIT
 *
 * The call that has ended an exploration because it cannot be explored.
 */
#ifndef LINCHPIN_REPORT_REFUSED_H
#define LINCHPIN_REPORT_REFUSED_H

/* Its place in the program, as "list.c:78:5 (main)"; NULL if there was none, or nothing is known of it. To be
 * freed. */
char *refused_place(const char *directory);

#endif

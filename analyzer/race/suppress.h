/* SPDX-License-Identifier: MIT
 *
 * Races that are not to be reported, in the form that ThreadSanitizer reads: a line each,
 *
 *	race:PATTERN      a function, file or variable of one of the two accesses, callers included
 *	race_top:PATTERN  the function or file of the access itself
 *
 * A pattern is found anywhere in the name; `*` stands for anything, `^` and `$` for the ends. Comments
 * begin with `#`. Lines of its other kinds (thread, mutex, signal, deadlock, called_from_lib) are for that tool.
 */
#ifndef LINCHPIN_RACE_SUPPRESS_H
#define LINCHPIN_RACE_SUPPRESS_H

#include "race/race.h"

struct suppressions;

/* NULL and *e if the file cannot be read, or has a line of another form. */
struct suppressions *suppressions_read(const char *file, struct error *e);
void suppressions_free(struct suppressions *s);

bool suppressions_match(const struct suppressions *s, struct srcmap *map, const struct trace *t,
			const struct race *r);

/* Is the pattern found in the text? */
bool suppression_matches(const char *pattern, const char *text);

#endif

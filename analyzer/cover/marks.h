/* SPDX-License-Identifier: MIT
 *
 * Which instructions of the program have run (RUNDIR/coverage, format/coverage.h).
 */
#ifndef LINCHPIN_COVER_MARKS_H
#define LINCHPIN_COVER_MARKS_H

#include "run/trace.h"

#include <stddef.h>

struct marks;

/* NULL if the run has none, or a damaged one. Free it. */
struct marks *marks_read(const struct run *run);
void marks_free(struct marks *m);

/* Is anything known of this module? */
bool marks_have(const struct marks *m, uint32_t module);
/* What is known of the instruction at this address, as linked, of a module of the run: LP_COVERAGE_*. */
unsigned marks_at(const struct marks *m, uint32_t module, uint64_t address);

#endif

/* SPDX-License-Identifier: MIT
 *
 * What an exploration has tried, as text, JSON and for lcov.
 */
#ifndef LINCHPIN_REPORT_COVERAGE_H
#define LINCHPIN_REPORT_COVERAGE_H

#include "judge/analysis.h"

#include <jansson.h>
#include <stdio.h>

/* These need a->coverage. `all`: nothing is left out. */
void report_coverage(FILE *out, const struct analysis *a, bool all);
json_t *coverage_json(const struct analysis *a);
/* Lines as lcov's lines; the orders of conflicting lines, and whether a line has overlapped, as its branches. -1 and
 * *e if the file cannot be written. */
int lcov_write(const struct analysis *a, const char *file, struct error *e);

#endif

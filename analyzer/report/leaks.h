/* SPDX-License-Identifier: MIT */
#ifndef LINCHPIN_REPORT_LEAKS_H
#define LINCHPIN_REPORT_LEAKS_H

#include "base/text_table.h"
#include "judge/analysis.h"

/* A note for each place of allocation whose blocks leak; few, unless all are wanted. */
void report_leaks(FILE *out, const struct text_style *s, const struct analysis *a, bool all);

/* The outcome LP_OUT_LEAK in words; free it. Below it: in which classes it is none. */
char *leak_text(const struct outcome *o);
void report_leaking(FILE *out, const struct analysis *a, uint64_t classes);

#endif

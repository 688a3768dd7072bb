/* SPDX-License-Identifier: MIT
 *
 * The end of a report: what was explored, within which limits, and the result.
 */
#ifndef LINCHPIN_REPORT_SUMMARY_H
#define LINCHPIN_REPORT_SUMMARY_H

#include "judge/analysis.h"

void report_summary(FILE *out, const struct analysis *a);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Rows that repeat.
 */
#ifndef LINCHPIN_REPORT_FOLD_H
#define LINCHPIN_REPORT_FOLD_H

#include "base/util.h"

#define FOLD_PERIOD 8 /* rows that may repeat together, at most */

/* From one row on, `period` rows are there `times` times. */
struct fold {
	uint32_t period, times;
};

/* What repeats from rows[i] on, of n rows; equal numbers are equal rows. The period by which most
 * rows are saved; times is 1 if it is not worth while. */
struct fold fold_at(const uint32_t *rows, uint32_t n, uint32_t i);

#endif

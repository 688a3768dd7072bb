/* SPDX-License-Identifier: MIT */
#ifndef LP_MAPS_H
#define LP_MAPS_H

#include "base.h"

/* A mapping [lo, hi) and what comes after on its line, "rw-p ..." */
typedef void mapping_fn(uintptr_t lo, uintptr_t hi, const char *rest);

/* Calls f for each mapping of the process, from the lowest. */
void maps_each(mapping_fn *f);

/*
 * What of [lo, hi), private memory that starts at a page, was ever touched: at most `most` ranges,
 * upwards; how many. Small gaps are taken for touched.
 */
struct range {
	uintptr_t lo, hi;
};
unsigned maps_touched(uintptr_t lo, uintptr_t hi, struct range *ranges, unsigned most);

#endif

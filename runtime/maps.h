/* SPDX-License-Identifier: MIT */
#ifndef LP_MAPS_H
#define LP_MAPS_H

#include "base.h"

/* A mapping [lo, hi) and what comes after on its line, "rw-p ..." */
typedef void mapping_fn(uintptr_t lo, uintptr_t hi, const char *rest);

/* Calls f for each mapping of the process, from the lowest. */
void maps_each(mapping_fn *f);

#endif

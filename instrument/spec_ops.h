/* SPDX-License-Identifier: MIT */
#ifndef LP_SPEC_OPS_H
#define LP_SPEC_OPS_H

#include <stdint.h>

/* Places the probes of the operations that the file describes; between instrument_prepare() and
 * instrument_apply(). */
void spec_ops_load(const char *path);

/* The same for a library that was loaded in an execution, at this base. */
struct stat;
void spec_ops_late(const struct stat *file, uint64_t base);
/* Notes the libraries with operations that no execution has loaded. */
void spec_ops_unused(void);

#endif

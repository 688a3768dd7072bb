/* SPDX-License-Identifier: MIT */
#ifndef LP_SPEC_OPS_H
#define LP_SPEC_OPS_H

#include <stdbool.h>
#include <stdint.h>

/* Places the probes of the operations that the file describes; between instrument_prepare() and
 * instrument_apply(). */
void spec_ops_load(const char *path);

/* The same for a library that was loaded in an execution, at this base. */
struct stat;
void spec_ops_late(const struct stat *file, uint64_t base);
/* Is the running fiber, at this stack pointer, in an operation of the file? */
bool spec_op_open(uint64_t sp);
void spec_op_forget(unsigned fiber); /* it starts from the beginning */
/* Notes the libraries that contain operations but were loaded by no execution. */
void spec_ops_unused(void);

#endif

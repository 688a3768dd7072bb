/* SPDX-License-Identifier: MIT */
#ifndef LP_SPEC_OPS_H
#define LP_SPEC_OPS_H

/* Places the probes of the operations that the file describes; between instrument_prepare() and
 * instrument_apply(). */
void spec_ops_load(const char *path);

#endif

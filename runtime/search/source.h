/* SPDX-License-Identifier: MIT
 *
 * What dpor.c takes of source.c: which steps race.
 */
#ifndef LP_SOURCE_H
#define LP_SOURCE_H

#include <stdint.h>

void source_step(uint32_t i, const uint32_t *conflicts, unsigned n, const uint32_t *clock);
void source_end(void);

#endif

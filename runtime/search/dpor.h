/* SPDX-License-Identifier: MIT
 *
 * What optimal.c takes of dpor.c: which steps race.
 */
#ifndef LP_DPOR_H
#define LP_DPOR_H

#include <stdint.h>

void dpor_step(uint32_t i, const uint32_t *conflicts, unsigned n, const uint32_t *clock);
void dpor_end(void);

#endif

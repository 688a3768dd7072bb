/* SPDX-License-Identifier: MIT
 *
 * Waits that are made once, without a loop that tests again.
 */
#ifndef LINCHPIN_REPORT_WAITS_H
#define LINCHPIN_REPORT_WAITS_H

#include "source/map.h"

/* Does the site wait for a condition, and is there surely no loop around, neither there nor in a caller? */
bool waits_once(struct srcmap *m, uint32_t site);

#endif

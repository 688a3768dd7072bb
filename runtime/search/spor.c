/* SPDX-License-Identifier: MIT
 *
 * S-POR (stateful.c; algorithm 1 of the thesis named there): from each state, a thread whose next step nobody else
 * can tell goes on alone; otherwise all that can. Nothing is asked of later steps, so cycles of states
 * are no matter.
 */
#include "stateful.h"

static const struct reduction all = { .all = true };

STATEFUL_STRATEGY(spor, &all);

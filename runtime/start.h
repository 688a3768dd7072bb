/* SPDX-License-Identifier: MIT */
#ifndef LP_START_H
#define LP_START_H

#include "../include/linchpin.h"

/* Sets up the runtime's memory, the heap and the configuration; harmless when done already. */
void start_early(void);

/* interpose/operations.c: what linchpin.h calls. */
extern const struct linchpin_hooks operation_hooks;

#endif

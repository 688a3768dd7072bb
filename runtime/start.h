/* SPDX-License-Identifier: MIT */
#ifndef LP_START_H
#define LP_START_H

/* Sets up the runtime's memory, the heap and the configuration; harmless when done already. */
void start_early(void);

/* errno is again what it was when main was about to begin. */
void start_errno(void);

#endif

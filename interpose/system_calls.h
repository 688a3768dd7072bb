/* SPDX-License-Identifier: MIT */
#ifndef LP_SYSTEM_CALLS_H
#define LP_SYSTEM_CALLS_H

#include "interpose.h"

/* A system call that the program makes itself in an execution, with six arguments. True: it is done, and *result is what
 * it returns, -1 if errno says why it failed. False: the kernel may do it now. */
bool system_call(long number, const uint64_t *args, long *result);

#endif

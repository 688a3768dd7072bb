/* SPDX-License-Identifier: MIT
 *
 * What a program makes of the id of its process is another value in each execution, although nothing else differs. So are
 * addresses of code and of variables, where the kernel draws them and must not be asked to leave that (seccomp of containers).
 */
#ifndef LINCHPIN_RUN_PROCESS_ID_H
#define LINCHPIN_RUN_PROCESS_ID_H

#include "run/trace.h"

/* Both lines say the same, but for numbers: that of the process that executed is in the executed one where the recorded
 * one has another, always the same. It was one of those from the first to the last, as the system numbers them. */
bool same_but_for_process(const char *recorded, const char *executed, uint64_t first, uint64_t last);

/* Likewise of two traces, event by event: the values of the recorded one become those of the executed one. */
void trace_take_process(struct trace *recorded, const struct trace *executed, uint64_t process);

#endif

/* SPDX-License-Identifier: MIT
 *
 * What the operations of an execution returned, as one line of text: what a test of the program
 * could observe, without the order of operations of different threads.
 */
#ifndef LINCHPIN_RUN_HISTORY_LINE_H
#define LINCHPIN_RUN_HISTORY_LINE_H

#include "run/trace.h"

/* "0: add(1)=1 add(3)=1 | 0.1: remove(3)=0 | 0.2: pop()=empty push(2)": threads with operations by
 * name, operations in order; "=?" where an operation did not return. An object other than the first
 * one of the line is written behind the operation, "@heap:0/2+8". The text begins with `mark`. Free it. */
char *history_line(const char *mark, const struct run *run, const struct trace *t);

#endif

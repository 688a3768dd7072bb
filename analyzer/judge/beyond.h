/* SPDX-License-Identifier: MIT
 *
 * What other threads would have done next when an execution ended early.
 *
 * A failed assertion, or a crash, ends the execution while other threads are in the middle of something.
 * What excludes it may be a block that they had not left: half of an update is done, and a reader sees
 * that and fails. The half that was not done is not in the trace. But it is in that of another class, in
 * which the thread has done and read the same up to there and goes on. So what it would have done is
 * looked up there, and counts as if it came after the end.
 *
 *	beyond_want	for each class that ends early
 *	beyond_see	for all classes, until it says that there is no need for more
 *	beyond_add	the class again, to have the events added
 */
#ifndef LINCHPIN_JUDGE_BEYOND_H
#define LINCHPIN_JUDGE_BEYOND_H

#include "run/trace.h"

struct beyond;

/* operations: threads go on to the end of the operation that they are in, or to the next one. Otherwise
 * to where they make or join a thread, or to their end. */
struct beyond *beyond_new(bool operations);
void beyond_free(struct beyond *b);

/* Remembers what is to be looked up for this class; false if no other thread was in the middle of
 * something, or it is one too many. */
bool beyond_want(struct beyond *b, const struct trace *t);
/* Is this class one of those? They are asked for in their order. */
bool beyond_wanted(struct beyond *b, uint64_t class);
/* How many classes are still to be asked for. */
uint64_t beyond_left(const struct beyond *b);

bool beyond_see(struct beyond *b, const struct trace *t);
/* Appends what is known (t->nbeyond); trace_drop_end takes it back. */
void beyond_add(struct beyond *b, struct trace *t);

#endif

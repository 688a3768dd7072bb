/* SPDX-License-Identifier: MIT
 *
 * The locks of streams.
 */
#ifndef LP_STREAM_LOCK_H
#define LP_STREAM_LOCK_H

#include "interpose.h"

#include <stdio.h>

/* A function of stdio is about to take the stream's lock for real: when it can. */
void stream_used(const FILE *stream);

/* From now on libc waits for no stream that a thread has locked: at its end the process does not. */
void streams_unlocked(bool yes);

#endif

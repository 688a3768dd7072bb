/* SPDX-License-Identifier: MIT
 *
 * Livelocks that only redundant executions have shown. Each is recorded at the end of the search,
 * unless a class has shown it by then.
 */
#ifndef LP_LIVELOCK_H
#define LP_LIVELOCK_H

#include "look.h"

void livelocks_init(void);

/* A class was recorded that is this livelock (struct closed). */
void livelock_recorded(uint64_t name);

bool livelock_is_recorded(uint64_t name);

/* The execution that has just ended is this livelock, and redundant. */
void livelock_later(const struct closed *closed);

/* At the end of the search: runs those that are left, and records them. `run_to_answers` also asks
 * the questions that are open at the end of a run. */
void livelocks_record(look_run *run_to_answers);

/* Of one part of a search: hands back those that were seen. */
void livelocks_write(void);

/* One that other parts have seen is to be recorded: the threads of its steps. */
void livelock_given(uint64_t name, uint8_t *schedule, uint32_t length);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Blocks in force, for the scheduler. All of it is called only if there are blocks (rt->blocks).
 */
#ifndef LP_STEPS_H
#define LP_STEPS_H

#include "event.h"
#include "state.h"

#include <stdbool.h>
#include <stdint.h>

void steps_init(void);
void steps_reset(void); /* before an execution */

/* The fiber has announced its next event. With BLOCKS_LOCK it takes and releases the lock around its
 * blocks here. */
void steps_arrive(struct fiber *f);

/* Its event has entered the log. */
void steps_commit(struct fiber *f, struct event *e);

/* The fiber is about to wait outside of step(); it has announced what follows. It is about to end. */
void steps_wait(struct fiber *f);
void steps_leave(struct fiber *f);

/* The fiber that goes on, because its next event is glued; NULL if that is a choice. Ends the execution
 * if it would have to wait. `can`: those who could run, `set`: who are not in vain rounds either. */
struct fiber *steps_next(uint64_t can, uint64_t set);

/* Without those of whom it is known that they would have to wait inside a block. Ends the execution if
 * nobody else is left. */
uint64_t steps_allow(uint64_t set);

/* The latest step is complete. */
void steps_over(void);

/* The log index of the first event of the step that this event belongs to. */
static inline uint32_t step_head(uint32_t i)
{
	while (rt->log[i].glued)
		i = rt->log[i].own - 1;
	return i;
}

/* Where the fiber would have had to wait, if it is out of the choice at the end of this execution; else
 * NULL. */
const struct pending *steps_waits(const struct fiber *f);

#endif

/* SPDX-License-Identifier: MIT
 *
 * What dynamic partial order reduction does with a race, whether steps are single events (source.c) or
 * all that a thread does in one go (source_steps.c). A step is named by the log index of its first event.
 */
#ifndef LP_RACES_H
#define LP_RACES_H

#include "../state.h"

#include <stdbool.h>
#include <stdint.h>

void clock_join(uint32_t *clock, const uint32_t *other);

/* What happens before each step: rt->clocks, or less where that is not all seen (observed.h). A strategy sets it. */
extern uint32_t (*order_clocks)[MAX_FIBERS];

/* The race between step e and the one of `thread` at `end`, or behind it if that is where the log ends;
 * before it comes what is in `clock`. */
typedef void race_listener(uint32_t e, uint32_t end, uint8_t thread, const uint32_t *clock);

/* Reverses it: another thread is to be explored from the state before e. */
race_listener race_reverse;

/* Does so, or tells the listener, if there is one. */
race_listener race;

/* NULL: nobody. */
void races_go_to(race_listener *listener);

/* Is it a lock that is waited for? */
bool waits_for_lock(unsigned wait);

/* The event by which a lock was taken from who waits so; `index`: the one since which its holder has it. */
uint32_t lock_taken(uint32_t index, unsigned wait);

/* The event by which the lock was taken that this one gives back, for who waits so; NO_EVENT: none. */
uint32_t lock_given_back(const struct event *e, unsigned wait);

/* Do they race for what is sent to threads, and not for an object? */
bool about_sent(const struct event *e, unsigned wait);

/* The event that `step` can be reversed with then: e, or, if it had to wait for that one, an earlier one
 * that it had not to wait for and that is not in `clock`; NO_EVENT. */
uint32_t reversible_sent(uint32_t e, const struct event *step, const uint32_t *clock, unsigned wait);

/* What an event conflicts with that was announced and is blocked; false: it is not, or does not race. */
bool pending_races(const struct fiber *f, struct event *e, uint32_t *conflicts, unsigned *n);

/* Who would have taken something before this step, but would not any more: it is tried in its place. Its next
 * step is another one now, so it cannot be asked later. */
void races_of_lost(uint32_t step);

/* Is an event about the object that a step waits for, or about descriptors, which such a step looked at, too? */
bool on_same_object(const struct event *e, const struct event *step);

/* Before this event the object may have been free or not. */
bool may_have_been_free(const struct event *e);

/* What a step may turn out to do where something else came before it: what conflicts most. */
void make_potential(struct event *e);

/* The frame for the next step; who takes it, -1 if all that are enabled sleep. */
int choose_awake(uint64_t enabled);

/* The step of events from..to was made: some of those that slept before it sleep on. */
void sleep_on(uint32_t from, uint32_t to);

/* All are awake: before an execution, whose beginning is given. */
void sleep_nobody(void);

/* The step in which the execution ended, if its order with others matters, has everybody tried in its
 * place, and never sleeps. `crashed` is told such a step in which the program came to grief. */
void end_races(void (*crashed)(uint32_t step));

#endif

/* SPDX-License-Identifier: MIT
 *
 * Executions that begin like one in which something rare happened, and go on in another way.
 *
 * A fault that takes several unlikely things, one after the other, is hardly ever met by executions
 * that draw all of them anew. So the way to where something happened for the first time is
 * remembered, and others set out from there. What happens is what a thread *meets*: the places of its
 * last three steps on variables, each with the place of the step before it on that variable, and
 * whether that was its own. Of some ways the one to what was met least often is taken.
 *
 * Such feedback is that of greybox fuzzing: Wolff, Shi, Duck, Mathur, Roychoudhury, "Greybox Fuzzing
 * for Concurrency Testing", ASPLOS 2024, where it is told from what reads read; that what is
 * rare leads on: Boehme, Pham, Roychoudhury, "Coverage-Based Greybox Fuzzing as Markov Chain", CCS 2016.
 */
#ifndef LP_RARE_H
#define LP_RARE_H

#include "sampling.h"

void rare_init(void);
/* An execution begins, perhaps on one of these ways. */
void rare_begin(void);
/* Who comes next on it; -1: the execution is on no way, or at its end. */
int rare_pick(uint64_t enabled);
/* Before sampling_step. */
void rare_step(uint32_t i);

#endif

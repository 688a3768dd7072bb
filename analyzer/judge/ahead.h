/* SPDX-License-Identifier: MIT
 *
 * Other processes judge classes that the first pass will come to, as far as they are right: that is what takes
 * most of its time, and nothing but the verdict has to be handed over. What is wrong the pass looks at itself, so a
 * run is judged the same, however many processes there are and whenever one of them ends.
 */
#ifndef LINCHPIN_JUDGE_AHEAD_H
#define LINCHPIN_JUDGE_AHEAD_H

#include "judge/judge.h"

struct ahead;

/* Starts so many processes for the classes of the run from `first` on; the caller has little to do then but wait for them.
 * Each goes on with a copy of the judge, so all that this needs must be there. NULL: there are none, be it that the run is
 * too short. The run and the judge must outlive it. Free it with ahead_end. */
struct ahead *ahead_begin(struct run *run, struct judge *judge, uint64_t first, uint64_t processes);

/* Has another process found the class right? Waits until one has judged it. Classes come in order. */
bool ahead_is_right(struct ahead *a, uint64_t class);

void ahead_end(struct ahead *a); /* NULL: nothing happens */

#endif

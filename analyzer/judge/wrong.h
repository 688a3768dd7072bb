/* SPDX-License-Identifier: MIT
 *
 * Classes that are wrong, as the computation of repairs wants them.
 */
#ifndef LINCHPIN_JUDGE_WRONG_H
#define LINCHPIN_JUDGE_WRONG_H

#include "judge/analysis.h"

enum repairable {
	REPAIR_NONE,   /* no atomic block excludes it, or it was not looked for */
	REPAIR_SERIAL, /* likewise: it also happens with operations one at a time */
	REPAIR_FOUND,
};

/* Can atomic blocks be the answer to executions that end so? */
bool wrong_end_repairable(const struct outcome *o);

/* Do the operations of the run's specification file give no results? Then they cannot be wrong, and it
 * does not matter what they are. */
bool wrong_without_operations(const struct run *run);

/* Has the run operations that it knows by name, which it can do without? */
bool wrong_operations_named(const struct run *run);

/* What is collected for repairs begins anew; a->map is open. no_operations: as if there were none, so that blocks may
 * contain several. */
void wrong_begin(struct analysis *a, bool no_operations);
void wrong_free(struct analysis *a);

/* Adds a class that is wrong, by its history or by its end, to the ranking of the analysis; or to those
 * of which it has to be known first what other threads would have done next. */
enum repairable wrong_add(struct analysis *a, struct trace *t);
/* One of these, when that is known. */
enum repairable wrong_add_beyond(struct analysis *a, struct trace *t);
/* Remembers what classes that are right tell of the order of locks. */
void wrong_see_right(struct analysis *a, const struct trace *t);
/* After all classes: repairs of what is only known then. */
void wrong_finish(struct analysis *a);

#endif

/* SPDX-License-Identifier: MIT
 *
 * What an exploration has learned that steers it from then on: stack that threads share, loops. It
 * is part of the record (RUNDIR/steering, see format/run_dir.h), so that a replay follows the same
 * rules as the search.
 */
#ifndef LP_STEERING_H
#define LP_STEERING_H

void steering_read(void);  /* of LINCHPIN_STEERING, if that is set; opens what is written */
void steering_write(void);

#endif

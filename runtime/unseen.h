/* SPDX-License-Identifier: MIT */
#ifndef LP_UNSEEN_H
#define LP_UNSEEN_H

void unseen_init(void);

/* An execution did something of which not all steps are seen: the report has `what` as a limit, and
 * the search is not complete. The parts make one text; NULL after the last. */
void unseen(const char *what, ...) __attribute__((sentinel));

/* The search has begun again. */
void unseen_again(void);

#endif

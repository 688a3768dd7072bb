/* SPDX-License-Identifier: MIT
 *
 * A specification file for a program, guessed from the names and prototypes of its functions.
 */
#ifndef LINCHPIN_SPEC_PROPOSE_H
#define LINCHPIN_SPEC_PROPOSE_H

#include "spec/functions.h"

struct proposal {
	char *text;     /* of the specification file, with comments */
	unsigned nops;  /* operations in it */
	unsigned nleft; /* functions that look like operations but cannot be caught: comments */
	char *limits;   /* what is not checked because of these, a line each */
};

void spec_propose(const struct functions *f, struct proposal *p);
void proposal_free(struct proposal *p);

#endif

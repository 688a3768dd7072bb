/* SPDX-License-Identifier: MIT
 *
 * The sequence v by which a race is reversed (dpor.c): the steps after e that do not happen after e, with the
 * later step e' in the end. Those that were executed before e' are in the v of every execution that has the race;
 * what was executed behind it is another each time.
 */
#ifndef LP_SEQUENCE_H
#define LP_SEQUENCE_H

#include "../state.h"

struct reversal {
	uint32_t e;
	uint32_t later; /* log index of e', NO_EVENT: it was not executed */
	uint8_t thread;
	bool wild;
	bool again; /* it was reversed at the end of an execution before */
	bool pair;  /* two writes: v ends with e, which is seen then */
	struct event step;
	uint32_t clock[MAX_FIBERS];
};

/* A step of v. */
struct element {
	const struct event *step;
	const uint32_t *clock;
	uint32_t seq;
	uint8_t thread;
	bool wild; /* conflicts with everything */
	bool gone;
};

struct sequence {
	struct element *list;
	uint32_t n;
	uint32_t before; /* so many were executed before e' */
	bool pair;       /* two writes are reversed of which only one is seen */
};

extern struct sequence *sequence;

void sequence_init(void);
void sequence_make(const struct reversal *r);

/* The first element of a thread, NO_EVENT: there is none, or it is gone. */
uint32_t first_of(unsigned thread);

/* Could element k come first? And whatever was executed behind e'? */
bool is_initial(uint32_t k);
bool is_always_initial(uint32_t k);

/* Does the step conflict with none of them? Where two writes are reversed, who sees them is not in v, so it is not known. */
bool is_independent(const struct event *step, bool wild);

/* Is the write overwritten in v before anybody sees it? */
bool is_hidden(uint32_t k);

#endif

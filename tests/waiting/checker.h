/* SPDX-License-Identifier: MIT
 *
 * What a program can do: every state that any schedule leads to, plainly and slowly.
 *
 * An end is a state in which nobody can go on: all threads have ended, an assertion failed, or the
 * rest wait for mutexes (deadlock). A schedule that goes on for ever is no end. Where no end can be
 * reached any more, the program is in a livelock. It is named by the closed set in which that gets
 * stuck: a strongly connected component that no step leaves.
 */
#ifndef TEST_WAITING_CHECKER_H
#define TEST_WAITING_CHECKER_H

#include "program.h"

enum end_kind { END_OK, END_ASSERT, END_DEADLOCK };

struct end {
	uint8_t kind;
	uint8_t thread, pc; /* END_ASSERT: whose, and where; the values do not count */
	uint32_t state;
};

enum part_kind { PART_ENDED, PART_BLOCKED, PART_LOOPS };

struct livelock {
	uint32_t state; /* one of the closed set */
	struct part {
		uint8_t kind;
		uint16_t variables; /* waited for, or accessed in the loop; a bit each */
	} parts[MOST_THREADS];
};

#define MOST_LIVELOCKS 64

struct checker {
	const struct program *program;
	struct state *states;          /* 0 is the first */
	int32_t (*next)[MOST_THREADS]; /* the state after a step of the thread, or -1 */
	uint8_t *has_way_out;          /* can an end be reached? */
	int32_t *closed;               /* the livelock whose closed set the state is in, or -1 */
	int32_t *end_of;               /* the end that the state is, or -1 */
	uint32_t nstates, capacity;
	uint32_t *slots, mask; /* hash table of states: number + 1 */
	struct end *ends;
	uint32_t nends, ends_capacity;
	struct livelock livelocks[MOST_LIVELOCKS];
	uint32_t nlivelocks;
	bool too_big, unusable;
	bool shares; /* does some thread change what another looks at? */
};

/* Visits at most `most` states; more: too_big. Whatever happened, checker_free() it. */
void checker_build(struct checker *c, const struct program *p, uint32_t most);
void checker_free(struct checker *c);

/* The number of a state, or -1 if no schedule leads there. */
int64_t checker_find(const struct checker *c, const struct state *s);

/* The livelocks that can still happen from this state, a bit each. */
uint64_t checker_livelocks_from(const struct checker *c, uint32_t state);

/* In words, to `to`. */
void checker_end_text(const struct checker *c, const struct end *e, char *to, size_t size);
void checker_livelock_text(const struct checker *c, const struct livelock *l, char *to,
			   size_t size);

#endif

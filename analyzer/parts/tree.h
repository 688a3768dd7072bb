/* SPDX-License-Identifier: MIT
 *
 * parts/ explores a program in parts that do not depend on each other: on several processors, in several
 * sittings, on several machines. It includes base/, run/, launch/ and format/.
 *
 * The tree of the states to which units lead, as far as something is left below them (docs/parallel.md).
 * A branch is a thread that is explored from a state; it sleeps in those that come after it. A unit is
 * a branch that no part has begun.
 */
#ifndef LINCHPIN_PARTS_TREE_H
#define LINCHPIN_PARTS_TREE_H

#include "base/util.h"

enum branch_state {
	BRANCH_LEFT, /* a unit */
	BRANCH_OPEN, /* it has branches of its own, in the state behind it */
	BRANCH_DONE,
	BRANCH_ELSEWHERE, /* a unit of another shard */
	BRANCH_FOUND, /* a unit that a shard has found where others may find it, too: for the merge */
};

struct branch {
	struct branch *parent, *first, *last, *next;
	uint8_t thread, state; /* enum branch_state */
	bool shared; /* other shards know it, too, so it cannot be forgotten */
	/* Of a unit: */
	uint8_t size;  /* a guess: 2 to the power of that executions */
	uint8_t given; /* to the job with this place among those that were given out, from 1; 0: to none */
};

/* A tree of one unit: all. */
struct branch *tree_new(void);
void tree_free(struct branch *root);

/* Forgets what lies below branches of which nothing is left. If nothing is left at all, the root is
 * BRANCH_DONE then. */
void tree_prune(struct branch *root);

struct units {
	struct branch **list;
	uint32_t n, capacity;
};
/* Those in this state, in the order of depth-first search. */
void tree_units(struct branch *root, enum branch_state state, struct units *units);

/* The way of a unit as a line of LINCHPIN_PART; `before`: of the line before it, or NULL. */
void tree_print_unit(const struct branch *unit, const struct branch *before, FILE *to);
uint32_t tree_depth(const struct branch *unit);

/* Applies what a part has handed back (struct left), after so many executions, to its units. -1 and *e if it makes
 * no sense. */
int tree_apply(struct branch *const *units, uint32_t n, char *const *lines, uint32_t nlines, uint64_t executions,
	       struct error *e);

/* From now on it is the tree of one shard of so many, from 1, which take turns in the units. */
void tree_share(struct branch *root, uint64_t shard, uint64_t of);

void tree_write(const struct branch *root, FILE *to);
/* Reads what tree_write wrote, up to a line `end`; *text is behind it afterwards. NULL and *e. */
struct branch *tree_read(char **text, struct error *e);

/* Adds what another shard has found and finished to this tree; -1 if they are not of one search. */
int tree_merge(struct branch *root, const struct branch *from);
/* All shards were added: what they have found can be explored now. */
void tree_merged(struct branch *root);

#endif

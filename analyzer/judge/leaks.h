/* SPDX-License-Identifier: MIT
 *
 * Blocks that nothing points to at the end of some class, by the places of their allocation.
 */
#ifndef LINCHPIN_JUDGE_LEAKS_H
#define LINCHPIN_JUDGE_LEAKS_H

#include "judge/analysis.h"

struct leaking {
	uint32_t site;          /* of the allocation, the first one on this line */
	uint64_t class;         /* the first one */
	uint64_t last;          /* the last one */
	uint64_t classes;       /* of those that were looked at (run->nlooks) */
	uint64_t blocks, bytes; /* in the first class */
};

/* First what leaks in some classes and not in others. To free; NULL if there is none. */
struct leaking *leaks_of(const struct analysis *a, size_t *n);

/* Adds them to the findings. 0, or -1 and *e. They are no matter of atomic blocks: no repair is looked for. */
int leaks_find(struct analysis *a, struct error *e);

/* Leaks, at the end of the class that *t is of, what the finding says? Then it is its outcome, if `show` says
 * so. */
bool leaks_show(const struct run *run, struct srcmap *map, const struct finding *f, struct trace *t, bool show);

#endif

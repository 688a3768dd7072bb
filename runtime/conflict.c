/* SPDX-License-Identifier: MIT
 *
 * Which events depend on each other.
 */
#include "objects.h"
#include "sched.h"

static bool overlap(uint64_t a, uint64_t na, uint64_t b, uint64_t nb)
{
	return a < b + nb && b < a + na;
}

bool events_conflict(const struct event *a, const struct event *b)
{
	struct part mine[MAX_PARTS], theirs[MAX_PARTS];
	unsigned n, m;

	if (a->kind == LP_EV_EXIT_ALL || b->kind == LP_EV_EXIT_ALL)
		return true;
	if (LIKELY(!event_has_parts(a) && !event_has_parts(b)))
		return lp_access_conflict(a->access, b->access) &&
		       overlap(a->addr, a->size, b->addr, b->size);
	n = event_parts(a, mine);
	m = event_parts(b, theirs);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < m; k++)
			if (lp_access_conflict(mine[i].access, theirs[k].access) &&
			    overlap(mine[i].addr, mine[i].size, theirs[k].addr, theirs[k].size))
				return true;
	return false;
}

/* SPDX-License-Identifier: MIT
 *
 * Two questions about the conflicts of a trace: how many there are, and which is the first in each
 * thread.
 */
#include "repair/order.h"

#include <stdlib.h>
#include <string.h>

#define ACCESSES (LP_SHARES + 1)

struct tally {
	uint64_t covering[ACCESSES]; /* accesses of the cell, by what they do */
	uint64_t starting[ACCESSES]; /* those whose first cell it is */
};

/* Earlier accesses that conflict with e and whose first common cell with it is c. */
static uint64_t meet(const struct tally *all, const struct tally *own, bool first, uint8_t access)
{
	uint64_t n = 0;

	for (uint8_t a = LP_READS; a < ACCESSES; a++)
		if (lp_access_conflict(a, access))
			n += first ? all->covering[a] - own->covering[a]
				   : all->starting[a] - own->starting[a];
	return n;
}

static void enter(struct tally *c, bool first, uint8_t access)
{
	c->covering[access]++;
	c->starting[access] += first;
}

uint64_t order_conflicts(const struct order *o, const struct trace *t)
{
	struct tally *all = xcalloc(o->ncells, sizeof *all);
	struct tally *own = xcalloc((size_t)o->ncells * o->nthreads, sizeof *own);
	uint64_t count = 0;

	for (uint32_t i = 0; i < t->nevents; i++) {
		for (uint32_t s = o->span_start[i]; s < o->span_start[i + 1]; s++) {
			uint8_t access = o->spans[s].access;

			for (uint32_t c = o->spans[s].first; c < o->spans[s].end; c++) {
				struct tally *mine =
					&own[(size_t)c * o->nthreads + t->events[i].thread];
				bool first = c == o->spans[s].first;

				count += meet(&all[c], mine, first, access);
				enter(&all[c], first, access);
				enter(mine, first, access);
			}
		}
	}
	free(all);
	free(own);
	return count;
}

static void creation_and_join(const struct order *o, const struct trace *t, uint32_t *earliest)
{
	uint32_t *last = xmalloc(o->nthreads * sizeof *last);
	uint32_t *creator = xmalloc(o->nthreads * sizeof *creator);

	memset(last, 0xff, o->nthreads * sizeof *last);
	memset(creator, 0xff, o->nthreads * sizeof *creator);
	for (uint32_t i = 0; i < t->nevents; i++) {
		const struct event *e = &t->events[i];
		uint32_t c = creator[e->thread];

		if (last[e->thread] == NONE && c != NONE && t->events[c].thread != e->thread)
			earliest[(size_t)c * o->nthreads + e->thread] = i;
		last[e->thread] = i;
		if (e->other >= o->nthreads || e->other == e->thread)
			continue;
		if (e->kind == LP_EV_CREATE)
			creator[e->other] = i;
		if (e->kind == LP_EV_JOIN && last[e->other] != NONE) {
			uint32_t *slot =
				&earliest[(size_t)last[e->other] * o->nthreads + e->thread];

			if (i < *slot)
				*slot = i;
		}
	}
	free(last);
	free(creator);
}

/* Of each thread but one. */
static void earlier(uint32_t *earliest, const uint32_t *events, uint32_t nthreads, uint32_t but)
{
	for (uint32_t u = 0; u < nthreads; u++)
		if (u != but && events[u] < earliest[u])
			earliest[u] = events[u];
}

uint32_t *order_earliest(const struct order *o, const struct trace *t)
{
	size_t n = o->nthreads, table = (size_t)o->ncells * n;
	uint32_t *earliest = xmalloc((o->nevents + (size_t)1) * n * sizeof *earliest);
	uint32_t *next = xmalloc((table + 1) * ACCESSES * sizeof *next); /* by access, cell, thread */

	memset(earliest, 0xff, o->nevents * n * sizeof *earliest);
	memset(next, 0xff, table * ACCESSES * sizeof *next);
	for (uint32_t i = o->nevents; i-- > 0;) {
		const struct event *e = &t->events[i];
		uint8_t most = trace_imagined(t, i) ? 0 : ACCESSES;

		for (uint32_t s = o->span_start[i]; s < o->span_start[i + 1]; s++)
			for (uint32_t c = o->spans[s].first; c < o->spans[s].end; c++) {
				for (uint8_t a = LP_READS; a < most; a++)
					if (lp_access_conflict(a, o->spans[s].access))
						earlier(&earliest[i * n], &next[a * table + c * n],
							o->nthreads, e->thread);
				next[o->spans[s].access * table + c * n + e->thread] = i;
			}
	}
	creation_and_join(o, t, earliest);
	free(next);
	return earliest;
}

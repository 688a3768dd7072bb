/* SPDX-License-Identifier: MIT
 *
 * Two questions about the conflicts of a trace: how many there are, and which is the first in each
 * thread.
 */
#include "repair/order.h"

#include <stdlib.h>
#include <string.h>

struct tally {
	uint64_t covering, covering_writes; /* accesses of the cell */
	uint64_t starting, starting_writes; /* those whose first cell it is */
};

/* Earlier accesses that conflict with e and whose first common cell with it is c. */
static uint64_t meet(const struct tally *all, const struct tally *own, bool first, bool write)
{
	if (first)
		return write ? all->covering - own->covering
			     : all->covering_writes - own->covering_writes;
	return write ? all->starting - own->starting : all->starting_writes - own->starting_writes;
}

static void enter(struct tally *c, bool first, bool write)
{
	c->covering++;
	c->covering_writes += write;
	c->starting += first;
	c->starting_writes += first && write;
}

uint64_t order_conflicts(const struct order *o, const struct trace *t)
{
	struct tally *all = xcalloc(o->ncells, sizeof *all);
	struct tally *own = xcalloc((size_t)o->ncells * o->nthreads, sizeof *own);
	uint64_t count = 0;

	for (uint32_t i = 0; i < t->nevents; i++) {
		for (uint32_t s = o->span_start[i]; s < o->span_start[i + 1]; s++) {
			bool write = o->spans[s].write;

			for (uint32_t c = o->spans[s].first; c < o->spans[s].end; c++) {
				struct tally *mine =
					&own[(size_t)c * o->nthreads + t->events[i].thread];
				bool first = c == o->spans[s].first;

				count += meet(&all[c], mine, first, write);
				enter(&all[c], first, write);
				enter(mine, first, write);
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

uint32_t *order_earliest(const struct order *o, const struct trace *t)
{
	size_t n = o->nthreads, table = (size_t)o->ncells * n;
	uint32_t *earliest = xmalloc((o->nevents + (size_t)1) * n * sizeof *earliest);
	uint32_t *access =
		xmalloc((table + 1) * sizeof *access); /* next access by cell and thread */
	uint32_t *write = xmalloc((table + 1) * sizeof *write);

	memset(earliest, 0xff, o->nevents * n * sizeof *earliest);
	memset(access, 0xff, table * sizeof *access);
	memset(write, 0xff, table * sizeof *write);
	for (uint32_t i = o->nevents; i-- > 0;) {
		const struct event *e = &t->events[i];

		for (uint32_t s = o->span_start[i]; s < o->span_start[i + 1]; s++) {
			const uint32_t *later = o->spans[s].write ? access : write;

			for (uint32_t c = o->spans[s].first; c < o->spans[s].end; c++) {
				for (uint32_t u = 0; u < n; u++)
					if (u != e->thread &&
					    later[c * n + u] < earliest[i * n + u])
						earliest[i * n + u] = later[c * n + u];
				access[c * n + e->thread] = i;
				if (o->spans[s].write)
					write[c * n + e->thread] = i;
			}
		}
	}
	creation_and_join(o, t, earliest);
	free(access);
	free(write);
	return earliest;
}

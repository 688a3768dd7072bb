/* SPDX-License-Identifier: MIT */
#include "repair/inner.h"

#include <stdlib.h>
#include <string.h>

void sites_see(struct sites *s, const struct trace *t)
{
	for (uint32_t i = 0; i < t->nevents; i++) {
		uint32_t site = t->events[i].site;

		if (site == NONE)
			continue;
		if (site >= s->n) {
			size_t more = (site + 1) * 2UL;

			s->seen = xrealloc(s->seen, more * sizeof *s->seen);
			memset(s->seen + s->n, 0, (more - s->n) * sizeof *s->seen);
			s->n = more;
		}
		s->seen[site] = true;
	}
}

void sites_free(struct sites *s)
{
	free(s->seen);
	*s = (struct sites){ 0 };
}

/* Does all that was seen of block b happen in what block c calls? */
static bool lies_in(const struct flows *flows, const struct sites *s, const struct block *b, const struct block *c)
{
	bool seen = false;

	for (uint32_t site = 0; site < s->n; site++) {
		unsigned nested = s->seen[site] ? flows_nested(flows, site, b, c) : 0;

		if (nested == 1)
			return false;
		seen |= nested;
	}
	return seen;
}

static void leave_out(const struct flows *flows, const struct sites *s, struct repair *repair)
{
	for (uint32_t i = 0; i < repair->nblocks; i++)
		for (uint32_t k = 0; k < repair->nblocks; k++) {
			struct block *b = &repair->blocks[i];

			if (k == i || !lies_in(flows, s, b, &repair->blocks[k]))
				continue;
			memmove(b, b + 1, (--repair->nblocks - i) * sizeof *b);
			i--;
			break;
		}
}

void inner_leave_out(const struct flows *flows, const struct sites *s, struct repair_list *repairs)
{
	struct repair_list less = { 0 };

	for (uint32_t i = 0; i < repairs->n; i++) {
		leave_out(flows, s, &repairs->list[i]);
		repair_list_add(&less, &repairs->list[i]);
	}
	repair_list_trim(&less, less.n);
	repairs->n = 0;
	repair_list_free(repairs);
	*repairs = less;
}

/* SPDX-License-Identifier: MIT
 *
 * Sites with a line each, for tests of rankings, and what a repair of them is.
 */
#ifndef REPAIR_LINES_H
#define REPAIR_LINES_H

#include "repair/rank.h"
#include "repair_source.h"

/* Site i is line i + 1 of t.c, in function f(i / 40). */
static struct fake_site line_sites[400];

static inline void make_line_sites(void)
{
	static const char *const names[] = { "f0", "f1", "f2", "f3", "f4",
					     "f5", "f6", "f7", "f8", "f9" };

	for (uint32_t i = 0; i < 400; i++) {
		const struct fake_site site = { { FRAME("driver", 1000 + i / 10, 0),
						  FRAME(names[i / 40], 1 + i, 0) } };

		line_sites[i] = site;
	}
}

static inline struct ranking *line_ranking(const struct ranking_options *options)
{
	static struct fake_source source = { line_sites, NULL };
	struct source_map map = fake_map(&source);

	make_line_sites();
	return ranking_new(&map, options);
}

static inline bool has_block(const struct repair *r, const char *function, uint32_t first,
			     uint32_t last)
{
	for (uint32_t i = 0; i < r->nblocks; i++)
		if (!strcmp(r->blocks[i].function, function) && r->blocks[i].first == first &&
		    r->blocks[i].last == last)
			return true;
	return false;
}

static inline bool is_block(const struct repair *r, const char *function, uint32_t first,
			    uint32_t last)
{
	return r->nblocks == 1 && has_block(r, function, first, last);
}

#endif

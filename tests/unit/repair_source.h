/* SPDX-License-Identifier: MIT
 *
 * Source maps made by hand, for tests of static blocks: site n is the n-th stack of a table.
 */
#ifndef REPAIR_SOURCE_H
#define REPAIR_SOURCE_H

#include <string.h>

#include "repair/blocks.h"

#define MAX_TEST_FRAMES 6

struct fake_site {
	struct source_frame frames[MAX_TEST_FRAMES];
};

struct fake_source {
	const struct fake_site *sites;
	const char *text; /* of every file; NULL: there is none */
};

/* A frame of t.c; the last argument is the position on the line. */
#define FRAME(function, line, position)                                                            \
	{                                                                                          \
		function, "t.c", line, (position) + 1, (line)*100 + (position), 0, 0, false   \
	}

static inline uint32_t fake_frames(void *data, uint32_t site, const struct source_frame **frames)
{
	const struct fake_source *s = data;
	uint32_t n = 0;

	*frames = s->sites[site].frames;
	while (n < MAX_TEST_FRAMES && (*frames)[n].address)
		n++;
	return n;
}

static inline const char *fake_text(void *data, const char *file)
{
	return ((const struct fake_source *)data)->text;
}

static inline struct source_map fake_map(struct fake_source *s)
{
	return (struct source_map){ .frames = fake_frames, .text = s->text ? fake_text : NULL, .data = s };
}

static inline struct block block_of(const char *function, uint32_t first, uint32_t last)
{
	return (struct block){ "t.c", function, first, last };
}

#endif

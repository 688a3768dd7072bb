/* SPDX-License-Identifier: MIT */
#include "report/waits.h"

#include "repair/loops.h"

bool waits_once(struct srcmap *m, uint32_t site)
{
	const struct source_map source = srcmap_source(m);
	struct file_loops files = { 0 };
	const struct source_frame *frames;
	uint32_t n = srcmap_frames(m, site, &frames);
	unsigned kind = source.kind(source.data, site);
	bool once = kind == LP_EV_WAIT || kind == LP_EV_WAKE;

	for (uint32_t i = 0; i < n && once; i++) {
		const struct loops *l = frames[i].file ? file_loops_of(&files, &source, frames[i].file) : NULL;

		once = !frames[i].function || (l && !loops_around(l, frames[i].line, frames[i].line));
	}
	file_loops_free(&files);
	return once && n;
}

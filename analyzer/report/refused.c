/* SPDX-License-Identifier: MIT */
#include "report/refused.h"

#include "judge/search_limits.h"

static char *place_in(struct run *run, struct srcmap *m)
{
	struct error e = { 0 };
	struct trace t = { 0 };

	while (run_next(run, &t, &e) > 0) /* the records come with the classes */
		;
	trace_free(&t);
	for (uint32_t i = 0; i < run->nlimits; i++) {
		const struct source_frame *f;

		if (run->limits[i].kind != LP_LIMIT_REFUSED)
			continue;
		f = limit_place(m, &run->limits[i]);
		if (!f)
			return NULL;
		return f->function ? xasprintf("%s (%s)", srcmap_place(m, f, true), f->function)
				   : xstrdup(srcmap_place(m, f, true));
	}
	return NULL;
}

char *refused_place(const char *directory)
{
	struct error e = { 0 };
	struct run *run = run_open(directory, &e);
	struct srcmap *m = run ? srcmap_open(run, &e) : NULL;
	char *place = m ? place_in(run, m) : NULL;

	if (m)
		srcmap_close(m);
	if (run)
		run_close(run);
	return place;
}

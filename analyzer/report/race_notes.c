/* SPDX-License-Identifier: MIT
 *
 * What is said below a data race.
 */
#include "report/outcome.h"

static const char *access_words(const struct run *run, const struct waiter *w)
{
	static const char *const words[] = {
		[LP_EV_READ] = "reads", [LP_EV_WRITE] = "writes", [LP_EV_RMW] = "changes",
		[LP_EV_CAS_FAIL] = "reads"
	};
	const struct site *s = &run->sites[w->site];

	return s->kind <= LP_EV_CAS_FAIL && words[s->kind] ? words[s->kind] : "uses";
}

void race_notes(FILE *out, const struct text_style *s, struct srcmap *m, const struct run *run,
		const struct trace *t)
{
	const struct outcome *o = &t->outcome;

	for (uint32_t i = 0; i < o->nwaiters; i++) {
		const struct waiter *w = &o->waiters[i];
		unsigned locks = 0;

		if (w->why != LP_WAIT_NOTHING || w->site == NONE || w->location == NONE)
			continue;
		report_note(out, s, m, srcmap_own_frame(m, w->site), "T%s %s %s%s", run->threads[w->thread].name,
		     access_words(run, w), srcmap_location_in(m, t, w->location),
		     run->sites[w->site].flags & LP_SITE_ATOMIC ? " (atomic)" : "");
		site_callers(out, m, w->site);
		for (uint32_t k = 0; k < o->nwaiters; k++) {
			const struct waiter *l = &o->waiters[k];

			if (l->why != LP_WAIT_HELD || l->thread != w->thread)
				continue;
			fprintf(out, "  with %s held since %s\n", srcmap_location_in(m, t, l->location),
				srcmap_place(m, srcmap_own_frame(m, l->site), false));
			locks++;
		}
		if (!locks)
			fputs("  with no lock held\n", out);
	}
}

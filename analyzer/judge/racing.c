/* SPDX-License-Identifier: MIT */
#include "judge/racing.h"

#include <stdlib.h>
#include <string.h>

static void show_in(struct pass *p, struct finding *f, const struct trace *t, const uint32_t *order)
{
	char *recorded = trace_schedule(p->a->run, t);

	free(f->schedule);
	f->schedule = judge_schedule(&p->judge, t, order);
	f->as_recorded = !strcmp(f->schedule, recorded);
	f->class = t->number;
	free(recorded);
}

static void count_race(struct pass *p, const struct trace *t, const struct race *r, const char *history)
{
	struct analysis *a = p->a;
	bool added, adjacent;
	uint32_t n = numbering_add(&p->races, r->places, strlen(r->places), &added), *order;
	struct finding *f;

	if (added) {
		VEC_GROW(p->known_races, n, p->races_capacity);
		p->known_races[n] = (struct known_race){ .finding = a->nfindings };
		p->known_races[n].suppressed =
			suppressions_match(p->options->suppressions, a->map, t, r);
		a->races_suppressed += p->known_races[n].suppressed;
	}
	if (p->known_races[n].suppressed)
		return;
	if (added) {
		VEC_GROW(a->findings, a->nfindings, a->findings_capacity);
		a->findings[a->nfindings++] = (struct finding){ .outcome = LP_OUT_DATA_RACE };
		a->nraces++;
	}
	f = &a->findings[p->known_races[n].finding];
	f->classes++;
	if (p->known_races[n].adjacent)
		return;
	order = race_order(t, r, &adjacent);
	if (added || adjacent)
		show_in(p, f, t, order);
	if (added) {
		f->end = xstrdup(r->places);
		f->history = xstrdup(history);
	}
	p->known_races[n].adjacent = adjacent;
	free(order);
}

void racing_class(struct pass *p, const struct trace *t, const char *history)
{
	const struct race *list;
	uint32_t n;

	if (!p->racing)
		p->racing = race_finder_new(p->a->run, p->a->map, p->a->races);
	list = races_of(p->racing, t, &n);
	for (uint32_t i = 0; i < n; i++)
		count_race(p, t, &list[i], history);
	p->a->races_left_out = races_left_out(p->racing);
}

bool racing_find(const struct run *run, struct srcmap *map, unsigned options, const char *places, struct trace *t,
		 bool show)
{
	struct race_finder *f = race_finder_new(run, map, options);
	const struct race *list;
	bool found = false;
	uint32_t n;

	list = races_of(f, t, &n);
	for (uint32_t i = 0; i < n && !found; i++) {
		found = !strcmp(list[i].places, places);
		if (found && show)
			race_outcome(t, &list[i]);
	}
	race_finder_free(f);
	return found;
}

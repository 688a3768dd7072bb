/* SPDX-License-Identifier: MIT */
#include "report/model.h"

#include "judge/limits.h"
#include "judge/self.h"
#include "judge/verdict.h"
#include "report/outcome.h"
#include "report/trace.h"
#include "report/signals.h"
#include "run/outcome.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *model_specification(const struct analysis *a, const char *given, const struct run *run,
				const struct trace *t)
{
	for (uint32_t i = 0; i < t->nops; i++) {
		uint32_t l = t->ops[i].object,
			 o = l < run->nlocations ? run->locations[l].object : NONE;

		if (o < run->nobjects && run->objects[o].specification < run->nstrings)
			return self_specification(
				a->self, run->strings[run->objects[o].specification], true);
	}
	return given;
}

/* The frame of the trace at the beginning of the block, for its column. */
static const struct source_frame *frame_in_block(struct srcmap *m, const struct trace *t,
						 const struct block *b)
{
	const struct source_frame *best = NULL, *frames;

	for (uint32_t i = 0; i < t->nevents; i++) {
		uint32_t n = srcmap_frames(m, t->events[i].site, &frames);

		for (uint32_t j = 0; j < n; j++) {
			const struct source_frame *f = &frames[j];

			if (f->file && f->function && f->line == b->first && b->file &&
			    b->function && !strcmp(f->file, b->file) &&
			    !strcmp(f->function, b->function) &&
			    (!best || f->column < best->column))
				best = f;
		}
	}
	return best;
}

/* The first block of the first repair, or the last access that conflicts, or the last event. */
struct source_frame violation_place(struct srcmap *m, const struct trace *t,
				    const struct report_repairs *repairs)
{
	const struct source_frame *f = NULL;
	const struct block *b = repairs && repairs->n ? repairs->list[0].blocks : NULL;
	bool *conflicting;

	if (b)
		f = frame_in_block(m, t, b);
	if (!f && b)
		return (struct source_frame){ .function = b->function,
					      .file = b->file,
					      .line = b->first };
	conflicting = trace_conflicting(t);
	for (uint32_t i = t->nevents; !f && i-- > 0;)
		if (conflicting[i] && t->events[i].op != NONE)
			f = srcmap_own_frame(m, t->events[i].site);
	free(conflicting);
	return f ? *f : (struct source_frame){ 0 };
}

char *violation_message(const char *why, const char *specification)
{
	if (why)
		return xasprintf("not linearizable: %s", why);
	if (specification)
		return xasprintf("not linearizable: no sequential order of %s operations gives "
				 "these results",
				 specification);
	return xstrdup("not linearizable: no sequential order of the operations gives these "
		       "results");
}

/* "FILE:LINE:COLUMN: note: TEXT"; what is not of that form belongs to the line before. */
static void add_note(struct model_finding *f, char *line)
{
	char *mark = strstr(line, ": note: "), *p = mark, *last;
	struct model_note *n;
	uint32_t number = 0;

	if (!mark) {
		while (*line == ' ')
			line++;
		/* Calls within libraries say nothing here. */
		if (!f->nnotes || !*line || !strchr(line, ':') || strstr(line, " /usr/"))
			return;
		n = &f->notes[f->nnotes - 1];
		last = xasprintf("%s; %s", n->text, line);
		free(n->text);
		n->text = last;
		return;
	}
	*mark = '\0';
	/* One or two numbers behind colons. */
	for (unsigned k = 0; k < 2 && (p = strrchr(line, ':')); k++) {
		char *end;
		unsigned long value = strtoul(p + 1, &end, 10);

		if (end == p + 1 || *end)
			break;
		number = (uint32_t)value;
		*p = '\0';
	}
	f->notes = xreallocarray(f->notes, f->nnotes + 1, sizeof *f->notes);
	f->notes[f->nnotes++] = (struct model_note){
		.file = number ? xstrdup(line) : NULL,
		.line = number,
		.text = xstrdup(mark + strlen(": note: ")),
	};
}

static void add_notes(struct model_finding *f, const struct analysis *a, struct srcmap *map,
		      const struct run *run, const struct trace *t)
{
	const struct text_style plain = { 0 };
	char *all = NULL, *save = NULL;
	size_t size;
	FILE *to = open_memstream(&all, &size);

	if (!to)
		return;
	outcome_notes(to, &plain, map, run, t);
	report_signals(to, map, run, t);
	report_lock_order(to, a, f->finding->class, true);
	fclose(to);
	for (char *line = strtok_r(all, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		add_note(f, line);
	free(all);
}

int model_load(struct model *m, const struct finding *f, struct trace *t, struct run **run,
	       struct srcmap **map, struct error *e)
{
	*t = (struct trace){ 0 };
	if (analysis_load(m->a, f, t, run, e) < 0)
		return -1;
	*map = m->a->map;
	if (*run != m->a->run) {
		if (!m->replay_map)
			m->replay_map = srcmap_open(*run, e);
		*map = m->replay_map;
	}
	t->number = f->class; /* in the run that the user knows */
	return *map ? 0 : -1;
}

static int add_finding(struct model *m, const struct finding *f, struct error *e)
{
	struct model_finding *to = &m->findings[m->n];
	const struct source_frame *place;
	struct trace t;
	struct run *run;
	struct srcmap *map;
	int result = model_load(m, f, &t, &run, &map, e);

	if (result == 0) {
		m->n++;
		*to = (struct model_finding){ .finding = f };
		if (f->is_history) {
			to->specification = model_specification(m->a, m->specification, run, &t);
			to->message = violation_message(f->why, to->specification);
			to->place = violation_place(map, &t, &m->all);
		} else {
			place = outcome_place(map, &t);
			to->message = outcome_sentence(map, run, &t);
			if (place)
				to->place = *place;
			add_notes(to, m->a, map, run, &t);
		}
		to->again = f->as_recorded ? xasprintf("linchpin replay %s %" PRIu64,
						       m->a->run->directory, f->class)
					   : xasprintf("linchpin replay %s '%s'",
						       m->a->run->directory, f->schedule);
	}
	trace_free(&t);
	return result;
}

int model_init(struct model *m, const struct analysis *a, const char *specification,
	       struct error *e)
{
	*m = (struct model){ .a = a, .specification = specification };
	report_repairs_collect(a, UINT32_MAX, &m->all);
	m->repairs = m->all.list;
	m->nrepairs = m->all.n;
	m->limits = limits_of(a, &m->nlimits);
	m->bound = search_bound(a->run, a);
	m->findings = xcalloc(a->nfindings, sizeof *m->findings);
	for (size_t i = 0; i < a->nfindings; i++)
		if (a->findings[i].replayed != REPLAY_DIFFERENT &&
		    add_finding(m, &a->findings[i], e) < 0)
			return -1;
	return 0;
}

void model_free(struct model *m)
{
	for (size_t i = 0; i < m->n; i++) {
		struct model_finding *f = &m->findings[i];

		for (uint32_t k = 0; k < f->nnotes; k++) {
			free((char *)f->notes[k].file);
			free(f->notes[k].text);
		}
		free(f->notes);
		free(f->message);
		free(f->again);
	}
	free(m->findings);
	for (size_t i = 0; i < m->nlimits; i++)
		free(m->limits[i]);
	free(m->limits);
	free(m->bound);
	report_repairs_free(&m->all);
	if (m->replay_map)
		srcmap_close(m->replay_map);
	*m = (struct model){ 0 };
}

const char *model_verdict(const struct model *m)
{
	if (analysis_has_violation(m->a))
		return "violation";
	return analysis_complete(m->a) && !m->a->unknown ? "clean" : "unfinished";
}

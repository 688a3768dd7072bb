/* SPDX-License-Identifier: MIT
 *
 * An event is [thread, text, place, flags, location, value], numbers of `texts`, `places` and
 * `locations`, -1 where there is none. A place is [file, line, function]. Of a location it is told
 * what it holds after the event.
 */
#include "report/page_data.h"

#include "base/numbering.h"
#include "judge/judge.h"
#include "lin/picture/picture.h"
#include "report/event.h"
#include "report/outcome.h"
#include "report/page.h"
#include "report/trace.h"
#include "run/outcome.h"

#include <stdlib.h>
#include <string.h>

#define MAX_LINES 20000 /* of a source file */

enum {
	EVENT_SHOWN = 1,
	EVENT_CALL = 2,
	EVENT_RETURN = 4,
	EVENT_IN_BLOCK = 8,
	EVENT_END = 16, /* no event: where the execution ended */
};

struct data {
	struct model *m;
	struct numbering texts, files;
	json_t *text_list, *file_list;
};

static json_t *text(const char *s)
{
	json_t *value = s ? json_string(s) : json_null();
	char *printable;

	if (!value) {
		printable = text_printable(s);
		value = json_string(printable);
		free(printable);
	}
	return value ? value : json_string("?");
}

static void set(json_t *o, const char *key, json_t *value)
{
	json_object_set_new(o, key, value);
}

static json_int_t number_of(struct numbering *n, json_t *list, const char *s, bool *added)
{
	uint32_t number = numbering_add(n, s, strlen(s), added);

	if (*added && list)
		json_array_append_new(list, text(s));
	return number;
}

static json_int_t text_number(struct data *d, const char *s)
{
	bool added;

	return number_of(&d->texts, d->text_list, s, &added);
}

/* The whole file, so that what is around a line can be seen. */
static json_t *source_lines(struct srcmap *map, const char *file)
{
	json_t *lines = json_array();

	for (uint32_t i = 1; i <= MAX_LINES; i++) {
		const char *line = srcmap_line_text(map, file, i);

		if (!line)
			break;
		json_array_append_new(lines, text(line));
	}
	return lines;
}

static json_int_t file_number(struct data *d, struct srcmap *map, const struct source_frame *f)
{
	json_t *o;
	bool added;
	json_int_t number;

	if (!f->file)
		return -1;
	number = number_of(&d->files, NULL, f->file, &added);
	if (added) {
		o = json_object();
		set(o, "name", text(f->file));
		set(o, "lines",
		    srcmap_in_program(map, f) ? source_lines(map, f->file) : json_array());
		json_array_append_new(d->file_list, o);
	}
	return number;
}

static json_t *blocks_data(struct data *d, const struct block *blocks, uint32_t n)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < n; i++) {
		const struct source_frame f = { .file = blocks[i].file };
		json_t *o = json_object();
		bool added;

		/* Files of events are there already, as the program's own. */
		set(o, "file",
		    f.file ? json_integer(number_of(&d->files, NULL, f.file, &added))
			   : json_integer(-1));
		if (f.file && added) {
			json_t *file = json_object();

			set(file, "name", text(f.file));
			set(file, "lines", source_lines(d->m->a->map, f.file));
			json_array_append_new(d->file_list, file);
		}
		set(o, "function", text(blocks[i].function));
		set(o, "first", json_integer(blocks[i].first));
		set(o, "last", json_integer(blocks[i].last));
		json_array_append_new(list, o);
	}
	return list;
}

/* What came of exploring with it in force; NULL: it was not. */
static json_t *attempt_data(const struct attempt *attempt)
{
	static const char *const results[] = {
		[PROOF_HOLDS] = "proven", [PROOF_BOUNDED] = "bounded", [PROOF_FAILS] = "fails"
	};
	json_t *o;

	if (!attempt || attempt->result == PROOF_NONE)
		return json_null();
	o = json_object();
	set(o, "result", text(results[attempt->result]));
	set(o, "classes", json_integer((json_int_t)attempt->classes));
	set(o, "seconds", json_real(attempt->seconds));
	return o;
}

static json_t *repairs_data(struct data *d)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < d->m->nrepairs && i < RANKING_KEEP; i++) {
		const struct report_repair *r = &d->m->repairs[i];
		json_t *o = json_object();
		char *sentence = report_repair_text(r);

		set(o, "text", text(sentence));
		set(o, "disabled", json_integer((json_int_t)r->disabled));
		set(o, "atomic", attempt_data(r->proof ? &r->proof->atomic : NULL));
		set(o, "lock", attempt_data(r->proof ? &r->proof->lock : NULL));
		set(o, "held",
		    r->proof && r->proof->closure ? blocks_data(d, r->proof->closed.blocks.blocks,
								r->proof->closed.blocks.nblocks)
						  : json_array());
		set(o, "blocks", blocks_data(d, r->blocks, r->nblocks));
		json_array_append_new(list, o);
		free(sentence);
	}
	return list;
}

/* One execution. */
struct execution {
	struct data *d;
	const struct run *run;
	struct srcmap *map;
	const struct trace *t;
	struct numbering places, locations;
	json_t *place_list, *location_list;
	bool *seen;
};

static bool in_repair(const struct execution *x, const struct source_frame *f)
{
	const struct model *m = x->d->m;

	for (uint32_t i = 0; f && m->nrepairs && i < m->repairs[0].nblocks; i++) {
		const struct block *b = &m->repairs[0].blocks[i];

		if (f->file && b->file && f->function && b->function && !strcmp(f->file, b->file) &&
		    !strcmp(f->function, b->function) && f->line >= b->first && f->line <= b->last)
			return true;
	}
	return false;
}

static json_int_t place_number(struct execution *x, const struct source_frame *f)
{
	json_int_t file;
	uint32_t number;
	char *key;
	bool added;

	if (!f)
		return -1;
	file = file_number(x->d, x->map, f);
	key = xasprintf("%lld %u %s", (long long)file, f->line, f->function ? f->function : "");
	number = numbering_add(&x->places, key, strlen(key), &added);
	free(key);
	if (added)
		json_array_append_new(x->place_list, json_pack("[I,I,o]", file, (json_int_t)f->line,
							       text(f->function)));
	return number;
}

/* What the location holds after the event; NULL: that is not known. */
static char *value_after(const struct execution *x, const struct event *ev)
{
	const char *name = x->run->threads[ev->thread].name;
	char value[32];

	switch (ev->kind) {
	case LP_EV_READ:
	case LP_EV_WRITE:
	case LP_EV_CAS_FAIL:
	case LP_EV_RMW:
		if (x->run->sites[ev->site].flags & LP_SITE_NOVALUE)
			return NULL;
		text_value(value, sizeof value, ev->value[ev->kind == LP_EV_RMW], ev->size);
		return xstrdup(value);
	case LP_EV_LOCK:
		return xasprintf("held by T%s", name);
	case LP_EV_RDLOCK:
		return xasprintf("read by T%s", name);
	case LP_EV_UNLOCK:
	case LP_EV_RDUNLOCK:
		return xstrdup("free");
	case LP_EV_FREE:
		return xstrdup("freed");
	default:
		return NULL;
	}
}

static unsigned flags_of(const struct execution *x, uint32_t i)
{
	const struct event *ev = &x->t->events[i];

	if (ev->op != NONE && ev->kind == LP_EV_CALL)
		return EVENT_SHOWN | EVENT_CALL;
	if (ev->op != NONE && ev->kind == LP_EV_RETURN)
		return EVENT_SHOWN | EVENT_RETURN;
	return x->seen[i] ? EVENT_SHOWN : 0;
}

static json_t *event_data(struct execution *x, uint32_t i)
{
	const struct event *ev = &x->t->events[i];
	const struct source_frame *f = srcmap_own_frame(x->map, ev->site);
	unsigned flags = flags_of(x, i);
	char *words = event_short_text(x->map, x->run, x->t, i), *value = NULL;
	json_int_t location = -1, holds = -1;
	json_t *o;

	if ((flags & EVENT_SHOWN) && ev->location != NONE)
		value = value_after(x, ev);
	if (value) {
		bool added;

		location = number_of(&x->locations, x->location_list,
				     srcmap_location(x->map, ev->location), &added);
		holds = text_number(x->d, value);
	}
	if (in_repair(x, f) && !(flags & (EVENT_CALL | EVENT_RETURN)))
		flags |= EVENT_IN_BLOCK;
	o = json_pack("[I,I,I,I,I,I]", (json_int_t)ev->thread, text_number(x->d, words),
		      place_number(x, f), (json_int_t)flags, location, holds);
	free(value);
	free(words);
	return o;
}

static void add_end(struct execution *x, json_t *events, uint32_t thread, uint32_t site,
		    const char *words)
{
	const struct source_frame *f = site == NONE ? NULL : srcmap_own_frame(x->map, site);

	json_array_append_new(events, json_pack("[I,I,I,I,I,I]", (json_int_t)thread,
						text_number(x->d, words), place_number(x, f),
						(json_int_t)(EVENT_SHOWN | EVENT_END),
						(json_int_t)-1, (json_int_t)-1));
}

/* Who waits for what in the end, or what went wrong there. */
static void add_ends(struct execution *x, json_t *events, const char *message)
{
	const struct outcome *o = &x->t->outcome;
	uint32_t last = NONE;

	for (uint32_t i = 0; i < o->nwaiters; i++) {
		const struct waiter *w = &o->waiters[i];
		char *what, *words;

		if (w->why == LP_WAIT_NOTHING || w->why == LP_WAIT_ALLOCATED ||
		    w->why == LP_WAIT_FREED || w->thread == last || w->thread >= x->t->nthreads)
			continue;
		last = w->thread;
		what = waiter_text(x->map, x->run, w);
		words = xasprintf("waits for %s", what);
		add_end(x, events, w->thread, w->site, words);
		free(words);
		free(what);
	}
	if (last == NONE && o->thread < x->t->nthreads)
		add_end(x, events, o->thread, outcome_site(x->t), message);
}

static json_t *threads_data(const struct execution *x)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < x->t->nthreads; i++) {
		const struct source_frame *f = i ? srcmap_thread_start(x->map, i) : NULL;
		char *name = xasprintf("T%s", x->run->threads[i].name);
		json_t *o = json_object();

		set(o, "name", text(name));
		set(o, "start", text(f ? f->function : i ? NULL : "main"));
		json_array_append_new(list, o);
		free(name);
	}
	return list;
}

/* The page of the history, as `linchpin check --html` draws it. */
static char *picture_of(const struct execution *x)
{
	const struct model *m = x->d->m;
	struct lin_result result;
	struct lin_options options = { .specification = m->specification };
	struct picture p;
	struct history h;
	struct judge judge;
	char *page = NULL;
	size_t size;
	FILE *to;

	if (!x->t->nops || !strcmp(m->a->check, "none"))
		return NULL;
	judge_init(&judge, x->run, m->a->check, m->specification);
	if (m->a->self)
		judge_use_self(&judge, m->a->self);
	to = judge_history(&judge, x->t, &h, &result) == 0 ? open_memstream(&page, &size) : NULL;
	if (to) {
		picture_init(&p, &h, &result, "history", PICTURE_HTML_LIMIT);
		picture_add_states(&p, &options);
		picture_html(to, &p);
		picture_free(&p);
		fclose(to);
		lin_result_free(&result);
		history_free(&h);
	}
	judge_free(&judge);
	return page;
}

static json_t *calls_data(struct execution *x)
{
	const struct source_frame *frames;
	json_t *list = json_array();
	uint32_t all, n = outcome_frames(x->map, x->t, &frames, &all);

	for (uint32_t i = n; i-- > 0;)
		if (srcmap_in_program(x->map, &frames[i]))
			json_array_append_new(list, json_integer(place_number(x, &frames[i])));
	return list;
}

static void add_execution(struct execution *x, const struct finding *f, const char *message,
			  json_t *o)
{
	json_t *events = json_array();
	char *page = f->is_history ? picture_of(x) : NULL;

	x->place_list = json_array();
	x->location_list = json_array();
	x->seen = trace_seen(x->t);
	for (uint32_t i = 0; i < x->t->nevents; i++)
		json_array_append_new(events, event_data(x, i));
	if (!f->is_history)
		add_ends(x, events, message);
	set(o, "threads", threads_data(x));
	set(o, "calls", f->is_history ? json_array() : calls_data(x));
	set(o, "events", events);
	set(o, "places", x->place_list);
	set(o, "locations", x->location_list);
	set(o, "picture", text(page));
	numbering_free(&x->places);
	numbering_free(&x->locations);
	free(x->seen);
	free(page);
}

static json_t *notes_data(const struct model_finding *f)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < f->nnotes; i++) {
		json_t *o = json_object();

		set(o, "file", text(f->notes[i].file));
		set(o, "line", json_integer(f->notes[i].line));
		set(o, "text", text(f->notes[i].text));
		json_array_append_new(list, o);
	}
	return list;
}

static json_t *finding_data(struct data *d, size_t i, struct error *e)
{
	const struct model_finding *f = &d->m->findings[i];
	json_t *o = json_object();
	struct execution x = { .d = d };
	struct trace t;
	struct run *run;
	int result = 0;

	set(o, "kind",
	    text(f->finding->is_history ? "history" : outcome_name(f->finding->outcome)));
	set(o, "message", text(f->message));
	set(o, "file", json_integer(file_number(d, d->m->a->map, &f->place)));
	set(o, "line", json_integer(f->place.line));
	set(o, "function", text(f->place.function));
	set(o, "class", json_integer((json_int_t)f->finding->class));
	set(o, "classes", json_integer((json_int_t)f->finding->classes));
	set(o, "again", text(f->again));
	set(o, "serial", json_boolean(f->finding->serial));
	set(o, "repairable", json_boolean(f->finding->repairable));
	set(o, "replayed", json_boolean(f->finding->replayed == REPLAY_SAME));
	set(o, "notes", notes_data(f));
	if (i < PAGE_FINDINGS) {
		result = model_load(d->m, f->finding, &t, &run, &x.map, e);
		x.run = run;
		x.t = &t;
		if (result == 0)
			add_execution(&x, f->finding, f->message, o);
		trace_free(&t);
	}
	if (result < 0) {
		json_decref(o);
		return NULL;
	}
	return o;
}

static json_t *strings_data(char *const *list, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(array, text(list[i]));
	return array;
}

static json_t *ends_data(const struct analysis *a)
{
	json_t *o = json_object();

	for (unsigned kind = 0; kind < LP_OUT_COUNT; kind++)
		if (a->outcomes[kind])
			set(o, outcome_name(kind), json_integer((json_int_t)a->outcomes[kind]));
	return o;
}

json_t *page_data(struct model *m, const char *diff, struct error *e)
{
	const struct analysis *a = m->a;
	struct data d = { .m = m, .text_list = json_array(), .file_list = json_array() };
	json_t *o = json_object(), *findings = json_array(), *one = NULL;

	set(o, "program", text(a->run->program));
	set(o, "arguments", strings_data(a->run->argv, (size_t)a->run->argc));
	set(o, "directory", text(a->run->directory));
	set(o, "verdict", text(model_verdict(m)));
	set(o, "executions", json_integer((json_int_t)a->run->status.executions));
	set(o, "seconds", json_real(a->run->status.seconds));
	set(o, "classes", json_integer((json_int_t)a->classes));
	set(o, "wrong", json_integer((json_int_t)a->nonlinearizable));
	set(o, "correct", json_integer((json_int_t)a->right));
	set(o, "histories", json_integer((json_int_t)a->histories));
	set(o, "ends", ends_data(a));
	set(o, "bound", text(m->bound));
	set(o, "limits", strings_data(m->limits, m->nlimits));
	set(o, "alone", text(a->alone));
	for (size_t i = 0; i < m->n; i++) {
		one = finding_data(&d, i, e);
		if (!one)
			break;
		json_array_append_new(findings, one);
	}
	set(o, "findings", findings);
	set(o, "repairs", repairs_data(&d));
	set(o, "diff", text(diff));
	set(o, "texts", d.text_list);
	set(o, "files", d.file_list);
	numbering_free(&d.texts);
	numbering_free(&d.files);
	if (m->n && !one) {
		json_decref(o);
		return NULL;
	}
	return o;
}

/* SPDX-License-Identifier: MIT
 *
 * An event is [thread, text, place, flags, location, value], numbers of `texts`, `places` and
 * `locations`, -1 where there is none. A place is [file, line, function]. Of a location it is told
 * what it holds after the event.
 */
#include "judge/judge.h"
#include "lin/picture/picture.h"
#include "report/event.h"
#include "report/outcome.h"
#include "report/page_private.h"
#include "report/trace.h"

#include <stdlib.h>
#include <string.h>

enum {
	EVENT_SHOWN = 1,
	EVENT_CALL = 2,
	EVENT_RETURN = 4,
	EVENT_IN_BLOCK = 8,
	EVENT_END = 16, /* no event: where the execution ended */
};

static void set(json_t *o, const char *key, json_t *value)
{
	json_object_set_new(o, key, value);
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

static bool frame_in_repair(const struct execution *x, const struct source_frame *f)
{
	const struct model *m = x->d->m;

	for (uint32_t i = 0; m->nrepairs && i < m->repairs[0].nblocks; i++) {
		const struct block *b = &m->repairs[0].blocks[i];

		if (f->file && b->file && f->function && b->function && !strcmp(f->file, b->file) &&
		    !strcmp(f->function, b->function) && f->line >= b->first && f->line <= b->last)
			return true;
	}
	return false;
}

/* Is the site in a block of the first repair, or called from there? */
static bool in_repair(const struct execution *x, uint32_t site)
{
	const struct source_frame *frames;
	uint32_t n = site == NONE ? 0 : srcmap_frames(x->map, site, &frames);

	for (uint32_t i = 0; i < n; i++)
		if (frame_in_repair(x, &frames[i]))
			return true;
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
	file = page_file_number(x->d, x->map, f);
	key = xasprintf("%lld %u %s", (long long)file, f->line, f->function ? f->function : "");
	number = numbering_add(&x->places, key, strlen(key), &added);
	free(key);
	if (added)
		json_array_append_new(x->place_list, json_pack("[I,I,o]", file, (json_int_t)f->line,
							       page_text(f->function)));
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

		location = page_number(&x->locations, x->location_list,
				       srcmap_location_in(x->map, x->t, ev->location), &added);
		holds = page_text_number(x->d, value);
	}
	if (in_repair(x, ev->site) && !(flags & (EVENT_CALL | EVENT_RETURN)))
		flags |= EVENT_IN_BLOCK;
	o = json_pack("[I,I,I,I,I,I]", (json_int_t)ev->thread, page_text_number(x->d, words),
		      place_number(x, f), (json_int_t)flags, location, holds);
	free(value);
	free(words);
	return o;
}

static void add_end(struct execution *x, json_t *events, uint32_t thread, const struct source_frame *f,
		    const char *words)
{
	json_array_append_new(events, json_pack("[I,I,I,I,I,I]", (json_int_t)thread,
						page_text_number(x->d, words), place_number(x, f),
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
		what = waiter_text(x->map, x->run, x->t, w);
		words = xasprintf("waits for %s", what);
		add_end(x, events, w->thread, srcmap_own_frame(x->map, w->site), words);
		free(words);
		free(what);
	}
	if (last == NONE && o->thread < x->t->nthreads)
		add_end(x, events, o->thread, outcome_place(x->map, x->t), message);
}

static json_t *threads_data(const struct execution *x)
{
	json_t *list = json_array();

	for (uint32_t i = 0; i < x->t->nthreads; i++) {
		const struct source_frame *f = i ? srcmap_thread_start(x->map, i) : NULL;
		char *name = xasprintf("T%s", x->run->threads[i].name);
		json_t *o = json_object();

		set(o, "name", page_text(name));
		set(o, "start", page_text(f ? f->function : i ? NULL : "main"));
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
	set(o, "picture", page_text(page));
	numbering_free(&x->places);
	numbering_free(&x->locations);
	free(x->seen);
	free(page);
}

void page_execution(struct data *d, const struct model_finding *f, const struct run *run,
		    struct srcmap *map, const struct trace *t, json_t *o)
{
	struct execution x = { .d = d, .run = run, .map = map, .t = t };

	add_execution(&x, f->finding, f->message, o);
}

/* SPDX-License-Identifier: MIT */
#include "report/session.h"

#include "report/event.h"
#include "report/outcome.h"

#include <stdlib.h>

/* Takes the text. */
static json_t *text_json(char *text)
{
	json_t *j = json_string(text);

	free(text);
	return j ? j : json_string("?");
}

static json_t *event_json(struct srcmap *m, const struct run *run, const struct trace *t, uint32_t i)
{
	const struct event *ev = &t->events[i];
	const struct source_frame *f = srcmap_known_frame(m, ev->site);
	json_t *j = json_object();

	json_object_set_new(j, "thread", json_integer(ev->thread));
	json_object_set_new(j, "place", text_json(xstrdup(srcmap_short_place(m, f))));
	if (f && f->function && f->file)
		json_object_set_new(j, "function", text_json(text_printable(f->function)));
	json_object_set_new(j, "what", text_json(event_text(m, run, t, i)));
	return j;
}

/* Does the thread of event i - 1 stop there in the middle of something, and another one goes on? */
static bool interrupted(const struct trace *t, uint32_t i)
{
	const struct event *before = &t->events[i - 1];

	if (before->thread == t->events[i].thread)
		return false;
	if (before->op != NONE)
		return t->ops[before->op].ret_event == NONE || t->ops[before->op].ret_event > i;
	if (t->nops || !before->thread)
		return false;
	for (uint32_t k = i + 1; k < t->nevents; k++)
		if (t->events[k].thread == before->thread && t->events[k].kind != LP_EV_EXIT)
			return true;
	return false;
}

/* From 1. Where the first thread is interrupted; else where the first operation begins, or the first
 * thread that main has made. */
static uint32_t first_of_finding(const struct trace *t)
{
	for (uint32_t i = 1; i < t->nevents; i++)
		if (interrupted(t, i))
			return i + 1;
	if (t->nops)
		return t->ops[0].call + 1;
	for (uint32_t i = 0; i < t->nevents; i++)
		if (t->events[i].thread)
			return i + 1;
	return 1;
}

static json_t *end_json(struct srcmap *m, const struct run *run, const struct trace *t)
{
	struct text_style plain = { 0 };
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return json_string("");
	outcome_text(f, &plain, m, run, t);
	fclose(f);
	return text_json(text);
}

/* Was the program compiled with hooks? */
static bool by_hooks(struct srcmap *m, const struct trace *t)
{
	bool any = false;

	for (uint32_t i = 0; i < t->nevents && !any; i++)
		any = t->events[i].site != NONE && srcmap_by_hook(m, t->events[i].site);
	return any;
}

json_t *session_json(struct srcmap *m, const struct run *run, const struct trace *t)
{
	json_t *j = json_object(), *events = json_array(), *threads = json_array(),
	       *waiters = json_array();

	for (uint32_t i = 0; i < t->nevents; i++)
		json_array_append_new(events, event_json(m, run, t, i));
	for (uint32_t i = 0; i < t->nthreads; i++)
		json_array_append_new(threads, text_json(xstrdup(run->threads[i].name)));
	for (uint32_t i = 0; i < t->outcome.nwaiters; i++) {
		const struct waiter *w = &t->outcome.waiters[i];
		json_t *one = json_object();

		json_object_set_new(one, "thread", json_integer(w->thread));
		json_object_set_new(one, "what", text_json(waiter_text(m, run, t, w)));
		json_array_append_new(waiters, one);
	}
	json_object_set_new(j, "events", events);
	json_object_set_new(j, "threads", threads);
	json_object_set_new(j, "waiters", waiters);
	json_object_set_new(j, "end", end_json(m, run, t));
	json_object_set_new(j, "hooks", json_boolean(by_hooks(m, t)));
	json_object_set_new(j, "first", json_integer(first_of_finding(t)));
	return j;
}

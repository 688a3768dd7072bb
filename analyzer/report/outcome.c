/* SPDX-License-Identifier: MIT */
#include "report/outcome.h"

#include "report/event.h"
#include "report/leaks.h"
#include "report/spin.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CALLS 12 /* of a call stack */

static const char *signal_words(int64_t code)
{
	switch (code) {
	case SIGSEGV:
		return "segmentation fault";
	case SIGBUS:
		return "bus error";
	case SIGFPE:
		return "arithmetic exception";
	case SIGILL:
		return "illegal instruction";
	default:
		return NULL;
	}
}

/* The message without the newline that libraries end theirs with; NULL if there is none. */
static char *message_of(const struct run *run, const struct outcome *o)
{
	char *raw, *text;
	size_t n;

	if (o->message == NONE)
		return NULL;
	raw = xstrdup(run->strings[o->message]);
	for (n = strlen(raw); n > 0 && (raw[n - 1] == '\n' || raw[n - 1] == ' '); n--)
		raw[n - 1] = '\0';
	text = text_printable(raw);
	free(raw);
	return text;
}

/* The C library's "file:line: function: Assertion `x' failed." without the place, which we say
 * ourselves. */
static char *assertion_text(const char *message)
{
	const char *words = message ? strstr(message, "Assertion `") : NULL;
	size_t n;

	if (!words)
		return xasprintf("assertion failed: %s", message ? message : "?");
	words += strlen("Assertion ");
	n = strlen(words);
	n -= n > 0 && words[n - 1] == '.';
	return xasprintf("assertion %.*s", (int)n, words);
}

/* Names of the threads that make no progress, with "and". */
static char *victims(const struct run *run, const struct outcome *o)
{
	char *all = NULL;

	for (uint32_t i = 0; i < o->nwaiters; i++) {
		const char *name = run->threads[o->waiters[i].thread].name;
		char *more;

		if (i > 0 && o->waiters[i].thread == o->waiters[i - 1].thread)
			continue;
		more = xasprintf("%s%sT%s", all ? all : "", all ? " and " : "", name);
		free(all);
		all = more;
	}
	return all ? all : xstrdup("a thread");
}

static char *progress_text(const struct run *run, const struct outcome *o, const char *condition)
{
	const char *stalled = run->threads[o->thread].name;
	char *who = victims(run, o), *text;

	if (!condition)
		condition = "free of waiting";
	if (o->code == LP_STALL_CIRCLE)
		text = xasprintf("not %s: %s can go round for ever, and none completes its "
				 "operation",
				 condition, who);
	else if (o->code == LP_STALL_RESTARTS)
		text = xasprintf("not %s: an operation of %s begins anew with each operation that "
				 "another thread completes",
				 condition, who);
	else if (o->nwaiters && o->thread == o->waiters[0].thread)
		text = xasprintf("not %s: %s cannot complete its operation alone", condition, who);
	else
		text = xasprintf("not %s: while T%s is stalled here, %s cannot complete its operation",
				 condition, stalled, who);
	free(who);
	return text;
}

/* What happened, without the thread. */
static char *fault_text(const struct run *run, const struct outcome *o)
{
	char *message = message_of(run, o), *text = NULL;
	const char *signal_name = signal_words(o->code);

	switch (o->kind) {
	case LP_OUT_OK:
		text = xstrdup("ok");
		break;
	case LP_OUT_EXIT:
		text = xasprintf("exit with status %lld", (long long)o->code);
		break;
	case LP_OUT_CRASH:
		text = signal_name ? xasprintf("crash: %s", signal_name)
				   : xasprintf("crash: signal %lld", (long long)o->code);
		if (message) {
			char *both = xasprintf("%s at %s", text, message);

			free(text);
			text = both;
		}
		break;
	case LP_OUT_ABORT:
		text = xasprintf("abort%s%s", message ? ": " : "", message ? message : "");
		break;
	case LP_OUT_ASSERT:
		text = assertion_text(message);
		break;
	case LP_OUT_STACK_OVERFLOW:
		text = xstrdup("stack overflow");
		break;
	case LP_OUT_DEADLOCK:
		text = run->enforce && message && !strncmp(message, "with ", 5)
			       ? xasprintf("deadlock: %s", message)
			       : xstrdup("deadlock: every thread waits");
		break;
	case LP_OUT_LIVELOCK:
		text = xstrdup(spins_only_wait(run, o) ? "livelock: only spinning threads are left"
						       : "livelock: the threads that are left go round for ever");
		break;
	case LP_OUT_ENDLESS:
		text = message ? xasprintf("endless execution: %s", message)
			       : xstrdup("endless execution");
		break;
	case LP_OUT_NO_PROGRESS:
		text = progress_text(run, o, message);
		break;
	case LP_OUT_DATA_RACE:
		text = xstrdup("data race");
		break;
	case LP_OUT_LEAK:
		text = leak_text(o);
		break;
	case LP_OUT_USE_AFTER_FREE:
		text = xasprintf("use after free%s%s", message ? ": " : "", message ? message : "");
		break;
	case LP_OUT_BAD_FREE:
		text = xasprintf("bad free%s%s", message ? ": " : "", message ? message : "");
		break;
	case LP_OUT_OUT_OF_BOUNDS:
		text = xasprintf("out of bounds%s%s", message ? ": " : "", message ? message : "");
		break;
	default:
		text = xasprintf("misuse of the thread library%s%s", message ? ": " : "",
				 message ? message : "");
	}
	free(message);
	return text;
}

/* Deadlock and livelock concern all threads, and the sentence on progress names them. */
static bool has_culprit(const struct outcome *o)
{
	return o->kind != LP_OUT_NO_PROGRESS && o->kind != LP_OUT_OK && o->kind != LP_OUT_DEADLOCK && o->kind != LP_OUT_LIVELOCK &&
	       o->thread != NONE;
}

static bool about_memory(const struct outcome *o)
{
	return o->kind == LP_OUT_USE_AFTER_FREE || o->kind == LP_OUT_BAD_FREE ||
	       o->kind == LP_OUT_OUT_OF_BOUNDS;
}

/* Is the memory that the outcome is about a thread's own? Where it was given back is no line of the program. */
static bool is_of_thread(const struct run *run, const struct outcome *o)
{
	uint32_t location = about_memory(o) && o->nwaiters ? o->waiters[0].location : NONE;

	return location != NONE && (run->locations[location].type == LP_LOC_STACK ||
				    run->locations[location].type == LP_LOC_TLS);
}

char *outcome_sentence(struct srcmap *m, const struct run *run, const struct trace *t)
{
	const struct outcome *o = &t->outcome;
	const struct source_frame *f = outcome_place(m, t);
	char *fault = fault_text(run, o), *text;

	if (o->kind == LP_OUT_DATA_RACE && o->nwaiters) {
		free(fault);
		fault = xasprintf("data race on %s", srcmap_location_in(m, t, o->waiters[0].location));
	} else if (is_of_thread(run, o)) {
		text = xasprintf("%s, %s", fault, srcmap_location_in(m, t, o->waiters[0].location));
		free(fault);
		fault = text;
	}
	if (!has_culprit(o))
		return fault;
	text = f && f->function ? xasprintf("%s in %s (T%s)", fault, f->function,
					    run->threads[o->thread].name)
				: xasprintf("%s (T%s)", fault, run->threads[o->thread].name);
	free(fault);
	return text;
}

/* How well the place of this waiter shows what is wrong: a wait for the end of a thread is only a
 * consequence. */
static unsigned waiter_priority(const struct waiter *w)
{
	if (w->site == NONE || w->why == LP_WAIT_NOTHING)
		return 0;
	if (w->why == LP_WAIT_JOIN)
		return 1;
	return w->why == LP_WAIT_SPIN ? 3 : 2;
}

uint32_t outcome_site(const struct trace *t)
{
	const struct outcome *o = &t->outcome;
	const struct waiter *best = NULL;

	if (o->site != NONE)
		return o->site;
	for (uint32_t i = 0; i < o->nwaiters; i++)
		if (waiter_priority(&o->waiters[i]) > (best ? waiter_priority(best) : 0))
			best = &o->waiters[i];
	if (best)
		return best->site;
	for (uint32_t i = t->nevents; i-- > 0;)
		if (t->events[i].thread == o->thread && t->events[i].kind <= LP_EV_LAST_STEP)
			return t->events[i].site;
	return NONE;
}

uint32_t outcome_frames(struct srcmap *m, const struct trace *t, const struct source_frame **frames,
			uint32_t *all)
{
	uint32_t n = *all = srcmap_stack(m, t->outcome.stack, frames);

	while (n > 0 && !srcmap_in_program(m, &(*frames)[n - 1]))
		n--;
	if (n)
		return n;
	*all = srcmap_frames(m, outcome_site(t), frames);
	return srcmap_own_frames(m, outcome_site(t), frames);
}

const struct source_frame *outcome_place(struct srcmap *m, const struct trace *t)
{
	const struct source_frame *frames;
	uint32_t all, n = outcome_frames(m, t, &frames, &all);

	if (n && srcmap_in_program(m, &frames[n - 1]))
		return &frames[n - 1];
	return srcmap_known_frame(m, outcome_site(t));
}

void report_note(FILE *out, const struct text_style *s, struct srcmap *m, const struct source_frame *f,
		 const char *format, ...)
{
	va_list args;

	fprintf(out, "%s%s:%s %snote:%s ", text_begin(s, TEXT_BOLD), srcmap_place(m, f, true),
		text_end(s, TEXT_BOLD), text_begin(s, TEXT_CYAN), text_end(s, TEXT_CYAN));
	va_start(args, format);
	vfprintf(out, format, args);
	va_end(args);
	fputc('\n', out);
}

/* The event by which `holder` came to hold the lock, or NONE. */
static uint32_t acquired(const struct run *run, const struct trace *t, const struct waiter *w)
{
	for (uint32_t i = t->nevents; i-- > 0;) {
		const struct event *ev = &t->events[i];

		if (ev->thread == w->holder && w->location != NONE && ev->location != NONE &&
		    run->locations[ev->location].region == run->locations[w->location].region &&
		    run->locations[ev->location].offset == run->locations[w->location].offset &&
		    (ev->kind == LP_EV_LOCK || ev->kind == LP_EV_RDLOCK || ev->kind == LP_EV_ONCE))
			return i;
	}
	return NONE;
}

static void waiter_note(FILE *out, const struct text_style *s, struct srcmap *m,
			const struct run *run, const struct trace *t, const struct waiter *w)
{
	char *what = waiter_text(m, run, t, w);
	uint32_t since = w->holder == NONE ? NONE : acquired(run, t, w);
	const char *thread = run->threads[w->thread].name;

	if (w->why == LP_WAIT_NOTHING)
		report_note(out, s, m, srcmap_own_frame(m, w->site), "T%s could run", thread);
	else if (w->holder == NONE || w->why == LP_WAIT_JOIN)
		report_note(out, s, m, srcmap_own_frame(m, w->site), "T%s waits for %s", thread, what);
	else if (since == NONE)
		report_note(out, s, m, srcmap_own_frame(m, w->site), "T%s waits for %s, held by T%s",
		     thread, what, run->threads[w->holder].name);
	else
		report_note(out, s, m, srcmap_own_frame(m, w->site),
		     "T%s waits for %s, held by T%s since %s", thread, what,
		     run->threads[w->holder].name,
		     srcmap_place(m, srcmap_own_frame(m, t->events[since].site), false));
	free(what);
}

/* The loop that a thread is in for ever, and a line for each variable that it waits for. */
static void spin_note(FILE *out, const struct text_style *s, struct srcmap *m,
		      const struct run *run, const struct trace *t, uint32_t first)
{
	struct spin spin;
	char *text;

	spin_find(&spin, m, run, t, first);
	if (t->outcome.kind == LP_OUT_NO_PROGRESS && t->outcome.code == LP_STALL_RESTARTS)
		text = xasprintf("T%s begins anew here", run->threads[spin.thread].name);
	else
		text = spin_text(m, run, t, &spin);
	report_note(out, s, m, spin.frame, "%s", text);
	free(text);
	for (uint32_t i = 0; i < spin.nvariables; i++) {
		text = spin_variable_text(m, run, t, &spin, &spin.variables[i]);
		fprintf(out, "  %s\n", text);
		free(text);
	}
}

static void waiter_notes(FILE *out, const struct text_style *s, struct srcmap *m,
			 const struct run *run, const struct trace *t)
{
	const struct outcome *o = &t->outcome;

	for (uint32_t i = 0; i < o->nwaiters; i++) {
		if (o->waiters[i].why != LP_WAIT_SPIN)
			waiter_note(out, s, m, run, t, &o->waiters[i]);
		else if (spin_begins(o, i))
			spin_note(out, s, m, run, t, i);
	}
}

static bool same_position(const struct source_frame *a, const struct source_frame *b)
{
	return a->file == b->file && a->line == b->line && a->address == b->address;
}

/* The callers of the innermost of n frames; a recursion is one line. */
static void callers(FILE *out, struct srcmap *m, const struct source_frame *frames, uint32_t n)
{
	uint32_t printed = 0, times;

	for (; n > 1 && printed < MAX_CALLS; printed++, n -= times) {
		const struct source_frame *caller = &frames[n - 2];
		const char *library = srcmap_library(m, caller);
		bool named = caller->function && (caller->file || library);

		for (times = 1; times + 1 < n && same_position(caller, caller - times); times++)
			;
		fprintf(out, "  called from %s",
			library ? library : srcmap_place(m, caller, false));
		if (named)
			fprintf(out, " (%s)", caller->function);
		if (times > 1)
			fprintf(out, ", %u times", times);
		fputc('\n', out);
	}
}

void site_callers(FILE *out, struct srcmap *m, uint32_t site)
{
	const struct source_frame *frames;
	uint32_t n = srcmap_own_frames(m, site, &frames);

	callers(out, m, frames, n);
}

void outcome_calls(FILE *out, struct srcmap *m, const struct trace *t)
{
	const struct source_frame *frames;
	uint32_t all, n = outcome_frames(m, t, &frames, &all);

	/* What the program's line called, down to where it happened. */
	for (uint32_t i = n; i < all && i < n + MAX_CALLS; i++) {
		const struct source_frame *f = &frames[i];
		const char *library = srcmap_library(m, f);

		fprintf(out, "  calls %s (%s)\n", f->function ? f->function : "a function",
			library ? library : srcmap_place(m, f, false));
	}
	callers(out, m, frames, n);
}

/* Where the memory was allocated and freed, each with the calls that led there. */
static void memory_notes(FILE *out, const struct text_style *s, struct srcmap *m,
			 const struct run *run, const struct outcome *o)
{
	for (uint32_t i = 0; i < o->nwaiters; i++) {
		const struct waiter *w = &o->waiters[i];
		bool allocated = w->why == LP_WAIT_ALLOCATED;

		if (w->site == NONE || (!allocated && w->why != LP_WAIT_FREED))
			continue;
		report_note(out, s, m, srcmap_own_frame(m, w->site), "%s by T%s",
		     allocated ? "allocated" : "freed before", run->threads[w->thread].name);
		site_callers(out, m, w->site);
	}
}

/* What a misuse is in conflict with. */
static void misuse_notes(FILE *out, const struct text_style *s, struct srcmap *m,
			 const struct run *run, const struct trace *t)
{
	const struct outcome *o = &t->outcome;
	static const char *const words[LP_WAIT_COUNT] = {
		[LP_WAIT_HELD] = "held since then by",
		[LP_WAIT_DESTROYED] = "destroyed by",
		[LP_WAIT_WAITS] = "waited for by",
		[LP_WAIT_JOINED] = "joined by",
	};

	for (uint32_t i = 0; i < o->nwaiters; i++) {
		const struct waiter *w = &o->waiters[i];

		if (w->site == NONE || !words[w->why])
			continue;
		report_note(out, s, m, srcmap_own_frame(m, w->site), "%s%s%s T%s",
		     w->location == NONE ? "" : srcmap_location_in(m, t, w->location),
		     w->location == NONE ? "" : ": ", words[w->why],
		     run->threads[w->thread].name);
		site_callers(out, m, w->site);
	}
}

/* A program that takes a sleep for an order goes wrong where the others are not as fast. */
static void sleep_note(FILE *out, const struct text_style *s, struct srcmap *m, const struct run *run,
		       const struct trace *t)
{
	for (uint32_t i = 0; i < t->nevents - t->nadded; i++) {
		const struct site *site = &run->sites[t->events[i].site];

		if (site->kind != LP_EV_YIELD || !(site->flags & LP_SITE_NOVALUE))
			continue;
		report_note(out, s, m, srcmap_own_frame(m, t->events[i].site),
			    "a thread sleeps here: that others go on meanwhile is likely, but nothing makes them; to wait for "
			    "them, use a join, a lock or a condition");
		return;
	}
}

void outcome_notes(FILE *out, const struct text_style *s, struct srcmap *m, const struct run *run,
		   const struct trace *t)
{
	if (t->outcome.kind != LP_OUT_OK)
		sleep_note(out, s, m, run, t);
	if (about_memory(&t->outcome))
		memory_notes(out, s, m, run, &t->outcome);
	else if (t->outcome.kind == LP_OUT_DATA_RACE)
		race_notes(out, s, m, run, t);
	else if (t->outcome.kind == LP_OUT_MISUSE)
		misuse_notes(out, s, m, run, t);
	else if (t->outcome.kind != LP_OUT_LEAK)
		waiter_notes(out, s, m, run, t);
}

void outcome_text(FILE *out, const struct text_style *s, struct srcmap *m, const struct run *run,
		  const struct trace *t)
{
	char *sentence = outcome_sentence(m, run, t);
	const struct source_frame *f = t->outcome.kind == LP_OUT_OK ? NULL : outcome_place(m, t);

	fprintf(out, "outcome: %s%s%s", text_begin(s, TEXT_BOLD), sentence, text_end(s, TEXT_BOLD));
	if (f)
		fprintf(out, ", at %s", srcmap_place(m, f, true));
	fputc('\n', out);
	outcome_notes(out, s, m, run, t);
	free(sentence);
}

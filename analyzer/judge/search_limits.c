/* SPDX-License-Identifier: MIT
 *
 * The trace says for each limit where it was reached (LP_REC_LIMIT): a loop by the access in it
 * that was made in vain, a thread that was stopped by its last event, a call by its name. Records of
 * one line are one sentence, unless their names differ.
 */
#include "judge/search_limits.h"

#include "base/text_table.h"

#include <stdlib.h>
#include <string.h>

#define MAX_PLACES 8 /* of a kind */

/* A line where a limit was reached, and what the loop there does: "reads `stop`, writes `n`". */
struct place {
	char *at, *what;
};

struct places {
	struct place *list;
	uint32_t n, capacity;
};

/* What the access of a loop is, in a word, before the variable. */
static const char *verb(const struct site *site)
{
	switch (site->kind) {
	case LP_EV_YIELD:
		return "yields";
	case LP_EV_LOCK:
	case LP_EV_RDLOCK:
		return "locks";
	case LP_EV_UNLOCK:
	case LP_EV_RDUNLOCK:
		return "unlocks";
	case LP_EV_TRYLOCK_FAIL:
		return "tries to lock";
	case LP_EV_WAIT:
	case LP_EV_TIMEOUT:
		return "waits on";
	default:
		return lp_access(site->kind, site->flags) == LP_READS ? "reads" : "writes";
	}
}

static char *what_is_done(struct srcmap *m, const struct run *run, const struct limit *l)
{
	const struct site *site = &run->sites[l->site];

	if (l->name != NONE)
		return xstrdup(symbol_shown(run->strings[l->name]));
	if (!lp_access(site->kind, site->flags))
		return xstrdup(site->kind == LP_EV_YIELD ? "yields" : "");
	return xasprintf("%s `%s`", verb(site), srcmap_location(m, l->location));
}

/* Adds a text to a list of different ones. */
static char *joined(char *list, const char *text)
{
	char *more;

	if (!*text || strstr(list, text))
		return list;
	more = *list ? xasprintf("%s, %s", list, text) : xstrdup(text);
	free(list);
	return more;
}

const struct source_frame *limit_place(struct srcmap *m, const struct limit *l)
{
	const struct source_frame *frames;
	uint32_t n = srcmap_stack(m, l->stack, &frames);

	while (n > 0 && !srcmap_in_program(m, &frames[n - 1]))
		n--;
	return n ? &frames[n - 1] : srcmap_own_frame(m, l->site);
}

static void add_place(struct places *p, struct srcmap *m, const struct run *run,
		      const struct limit *l)
{
	const char *at = srcmap_place(m, limit_place(m, l), false);
	char *what = what_is_done(m, run, l);
	uint32_t i = 0;

	while (i < p->n && (strcmp(p->list[i].at, at) != 0 || (l->name != NONE && strcmp(p->list[i].what, what) != 0)))
		i++;
	if (i == p->n) {
		VEC_GROW(p->list, p->n, p->capacity);
		p->list[p->n++] = (struct place){ xstrdup(at), xstrdup("") };
	}
	p->list[i].what = joined(p->list[i].what, what);
	free(what);
}

static char *sentence(const struct run *run, unsigned kind, const struct place *p)
{
	const char *does = *p->what ? " (" : "", *end = *p->what ? ")" : "";
	char *steps, *text;

	switch (kind) {
	case LP_LIMIT_VAIN:
		return xasprintf("loop at %s%s%s%s: at most %d rounds in a row without news; then "
				 "others go first",
				 p->at, does, p->what, end, LP_VAIN_ROUNDS);
	case LP_LIMIT_ROUNDS:
		return xasprintf("loop at %s%s%s%s: at most %d rounds that others saw", p->at, does,
				 p->what, end, LP_SEEN_ROUNDS);
	case LP_LIMIT_STEPS:
		steps = text_count(run->max_steps);
		text = xasprintf("thread stopped after %s steps (--max-steps) at %s", steps, p->at);
		free(steps);
		return text;
	case LP_LIMIT_EXIT:
		steps = text_count(LP_AFTER_EXIT);
		text = xasprintf("thread stopped %s steps after the end of the process began, "
				 "at %s",
				 steps, p->at);
		free(steps);
		return text;
	case LP_LIMIT_CALL:
		return xasprintf("system call %s at %s: what it does or waits for in the kernel is no step, and not "
				 "taken back",
				 p->what, p->at);
	case LP_LIMIT_UNSEEN_MEMORY:
		return xasprintf("what %s reads and writes is not seen, and at %s it was given memory that another thread "
				 "uses at the same time",
				 p->what, p->at);
	case LP_LIMIT_UNSEEN_STATE:
		return xasprintf("what %s at %s reads and writes in libc is not seen, and another thread uses it at the "
				 "same time",
				 p->what, p->at);
	case LP_LIMIT_COMPUTES:
		return xasprintf("computes for seconds without an event at %s, while others could "
				 "have run: stopped there",
				 p->at);
	default:
		return xasprintf("blocked in a system call at %s: what it waits for there is not "
				 "seen",
				 p->at);
	}
}

/* False: no place is recorded. */
static bool add_places(const struct analysis *a, unsigned kind,
		       void (*add)(void *data, char *sentence), void *data)
{
	struct places p = { 0 };

	for (uint32_t i = 0; i < a->run->nlimits; i++)
		if (a->run->limits[i].kind == kind)
			add_place(&p, a->map, a->run, &a->run->limits[i]);
	for (uint32_t i = 0; i < p.n; i++) {
		if (i < MAX_PLACES)
			add(data, sentence(a->run, kind, &p.list[i]));
		free(p.list[i].at);
		free(p.list[i].what);
	}
	if (p.n > MAX_PLACES)
		add(data, xasprintf("and %u more such %s", p.n - MAX_PLACES,
				    kind == LP_LIMIT_VAIN || kind == LP_LIMIT_ROUNDS
					    ? plural(p.n - MAX_PLACES, "loop", "loops")
					    : plural(p.n - MAX_PLACES, "place", "places")));
	free(p.list);
	return p.n > 0;
}

void search_limits(const struct analysis *a, void (*add)(void *data, char *sentence), void *data)
{
	static const struct {
		uint32_t limit;
		bool placed;
		const char *text; /* where no place is known */
	} limits[] = {
		{ LP_LIMIT_STEPS, true,
		  "a thread took as many steps as one may (--max-steps), and "
		  "was stopped there" },
		{ LP_LIMIT_VAIN, true,
		  "loops were left after some rounds without news; others went first then" },
		{ LP_LIMIT_ROUNDS, true,
		  "loops that write were stopped after some rounds that others saw" },
		{ LP_LIMIT_LOOK, false,
		  "all threads waited in loops, and whether one can leave "
		  "its loop was not found out" },
		{ LP_LIMIT_COMPUTES, true,
		  "a thread computed for seconds without an event while "
		  "others could have run, and was stopped there" },
		{ LP_LIMIT_KERNEL, true,
		  "a thread was blocked in a system call; what it waits for "
		  "there is not seen" },
		{ LP_LIMIT_CALL, true,
		  "the program makes system calls that are no steps, and not taken back" },
		{ LP_LIMIT_UNSEEN_MEMORY, true,
		  "functions of libc are given memory that another thread uses at the same time; what they read and write is "
		  "not seen" },
		{ LP_LIMIT_UNSEEN_STATE, true,
		  "what functions of libc read and write in libc is not seen, and another thread uses it at the same time" },
		{ LP_LIMIT_EXIT, true, "a thread was stopped while the process ends" },
		{ LP_LIMIT_PROGRESS, false,
		  "whether each operation can complete while others are stalled was not found out "
		  "in every state" },
	};

	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		if (!(a->run->status.limits & limits[i].limit))
			continue;
		if (!limits[i].placed || !add_places(a, limits[i].limit, add, data))
			add(data, xstrdup(limits[i].text));
	}
}

/* SPDX-License-Identifier: MIT
 *
 * Each access is compared with the latest accesses of the other threads to the same eight bytes. The
 * latest few of each thread are kept, for a race is a pair of places and each pair is wanted.
 */
#include "race/race.h"
#include "race/sort.h"
#include "race/sync.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define KEPT 6 /* accesses of one thread to one word */

struct kept {
	uint32_t event, seq;
};

struct word {
	struct kept *kept; /* [thread * KEPT + i], the latest at next[thread] - 1 */
	uint32_t *next;    /* by thread; how many there were */
};

struct race_finder {
	const struct run *run;
	struct srcmap *map;
	struct sorter *sorter;
	unsigned options;
	struct sync sync;
	struct numbering words; /* region, offset / 8 */
	struct word *list;
	uint32_t nlist, capacity;
	uint8_t *sorts; /* by event */
	uint32_t *seqs;
	uint32_t events_capacity;
	struct race *races;
	uint32_t n, races_capacity;
	struct numbering left_out; /* places, of all traces */
	struct numbering pairs;    /* of sites */
	char **texts;              /* by number of a pair */
	uint32_t ntexts, texts_capacity;
};

struct race_finder *race_finder_new(const struct run *run, struct srcmap *map, unsigned options)
{
	struct race_finder *f = xcalloc(1, sizeof *f);

	f->run = run;
	f->map = map;
	f->options = options;
	f->sorter = sorter_new(run, map, options);
	return f;
}

static void forget_words(struct race_finder *f)
{
	for (uint32_t i = 0; i < f->nlist; i++) {
		free(f->list[i].kept);
		free(f->list[i].next);
	}
	f->nlist = 0;
	numbering_free(&f->words);
	f->words = (struct numbering){ 0 };
}

void race_finder_free(struct race_finder *f)
{
	if (!f)
		return;
	forget_words(f);
	sorter_free(f->sorter);
	sync_free(&f->sync);
	numbering_free(&f->pairs);
	numbering_free(&f->left_out);
	for (uint32_t i = 0; i < f->ntexts; i++)
		free(f->texts[i]);
	free(f->texts);
	free(f->list);
	free(f->sorts);
	free(f->seqs);
	free(f->races);
	free(f);
}

uint32_t races_left_out(const struct race_finder *f)
{
	return f->left_out.n;
}

static struct word *word_at(struct race_finder *f, uint64_t region, uint64_t number)
{
	uint64_t key[] = { region, number };
	bool added;
	uint32_t n = numbering_add(&f->words, key, sizeof key, &added);

	if (added) {
		VEC_GROW(f->list, f->nlist, f->capacity);
		f->list[f->nlist++] = (struct word){
			xcalloc((size_t)f->sync.nthreads * KEPT, sizeof(struct kept)),
			xcalloc(f->sync.nthreads, sizeof(uint32_t))
		};
	}
	return &f->list[n];
}

static bool changes(const struct event *e)
{
	return e->kind == LP_EV_WRITE || e->kind == LP_EV_RMW;
}

static const char *place_text(struct race_finder *f, uint32_t site)
{
	return srcmap_place(f->map, srcmap_own_frame(f->map, site), false);
}

/* The text of a pair of places, whichever was first: pairs of lines are what is reported. */
static const char *pair_text(struct race_finder *f, uint32_t a, uint32_t b)
{
	uint32_t sites[] = { a < b ? a : b, a < b ? b : a };
	bool added;
	uint32_t n = numbering_add(&f->pairs, sites, sizeof sites, &added);

	if (added) {
		char *x = xstrdup(place_text(f, a)), *y = xstrdup(place_text(f, b));
		bool swap = strcmp(x, y) > 0;

		VEC_GROW(f->texts, f->ntexts, f->texts_capacity);
		f->texts[f->ntexts++] = xasprintf("%s %s", swap ? y : x, swap ? x : y);
		free(x);
		free(y);
	}
	return f->texts[n];
}

static bool is_uncertain(const struct race_finder *f, uint32_t event)
{
	return f->sorts[event] == ACCESS_MAYBE || f->sorts[event] == ACCESS_EARLY;
}

static void add_race(struct race_finder *f, const struct trace *t, uint32_t first, uint32_t second)
{
	const char *places = pair_text(f, t->events[first].site, t->events[second].site);
	bool added;

	if ((is_uncertain(f, first) || is_uncertain(f, second)) && !(f->options & RACES_UNCERTAIN)) {
		numbering_add(&f->left_out, places, strlen(places), &added);
		return;
	}
	for (uint32_t i = 0; i < f->n; i++)
		if (!strcmp(f->races[i].places, places))
			return;
	VEC_GROW(f->races, f->n, f->races_capacity);
	f->races[f->n++] = (struct race){ first, second, places };
}

static bool is_atomic(const struct race_finder *f, uint32_t event)
{
	return f->sorts[event] == ACCESS_ATOMIC || f->sorts[event] == ACCESS_ORDERED;
}

static bool overlap(const struct event *a, const struct event *b)
{
	return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

/* Compares event i with what other threads did there, and keeps it. */
static void see_word(struct race_finder *f, const struct trace *t, uint32_t i, struct word *w)
{
	const struct event *e = &t->events[i];

	for (uint32_t u = 0; u < t->nthreads; u++) {
		uint32_t n = w->next[u] < KEPT ? w->next[u] : KEPT;

		for (uint32_t k = 0; u != e->thread && k < n; k++) {
			const struct kept *o = &w->kept[u * KEPT + (w->next[u] - 1 - k) % KEPT];
			const struct event *other = &t->events[o->event];

			if (sync_before(&f->sync, u, o->seq, e->thread))
				break; /* and so do those before it */
			if ((changes(e) || changes(other)) && overlap(e, other) &&
			    !(is_atomic(f, i) && is_atomic(f, o->event)))
				add_race(f, t, o->event, i);
		}
	}
	w->kept[e->thread * KEPT + w->next[e->thread]++ % KEPT] = (struct kept){ i, f->seqs[i] };
}

#define WIDEST 4096 /* words of one access that are looked at */

const struct race *races_of(struct race_finder *f, const struct trace *t, uint32_t *n)
{
	if (t->nevents > f->events_capacity) {
		f->events_capacity = t->nevents * 2;
		f->sorts = xreallocarray(f->sorts, f->events_capacity, sizeof *f->sorts);
		f->seqs = xreallocarray(f->seqs, f->events_capacity, sizeof *f->seqs);
	}
	f->n = 0;
	forget_words(f);
	sync_begin(&f->sync, t);
	sorter_read(f->sorter, t, f->sorts);
	for (uint32_t i = 0; i < t->nevents - t->nadded; i++) {
		const struct event *e = &t->events[i];
		uint64_t words = 0, from = e->offset >> 3;

		/* Who reads an atomic variable has seen what it acquires only after the access. */
		if (f->sorts[i] != ACCESS_NONE && e->size)
			words = ((e->offset + e->size - 1) >> 3) - from + 1;
		f->seqs[i] = f->sync.clocks[(size_t)e->thread * f->sync.nthreads + e->thread] + 1;
		for (uint64_t k = 0; k < words && k < WIDEST; k++)
			see_word(f, t, i, word_at(f, e->region, from + k));
		sync_event(&f->sync, f->run, e, (enum access_sort)f->sorts[i]);
	}
	*n = f->n;
	return f->races;
}

/* SPDX-License-Identifier: MIT
 *
 * Which classes are recorded: each once, and with LINCHPIN_KEEP those that say something new. Of a client
 * of many operations nearly every execution has an order of its own, so a random search, which nothing
 * ends, would fill the disk. Its records have a certain room: when half of it is used, classes are only
 * recorded if what operations return, or their end, is new; when three quarters are used, if their end is
 * new. What is left out then is counted, for nobody has judged it. So is the number of classes that are
 * told apart.
 */
#include "kept.h"
#include "alike.h"
#include "memory.h"
#include "state.h"
#include "strategy.h"

#define MOST_SLOTS  (1UL << 20)	 /* of the table of classes */
#define FIRST_SLOTS (1UL << 16)

struct hashes {
	uint64_t *list;
	uint64_t mask, n, most; /* most: so many slots */
};

enum known { NEW, MET, FULL };

static struct kept {
	struct hashes seen;  /* classes, for searches that meet classes again */
	struct hashes alike; /* kinds of classes that have been recorded */
	uint64_t room, from; /* of records behind `from` bytes of the trace; 0: as much as is needed */
} *k;

static void hashes_make(struct hashes *s, uint64_t most)
{
	s->mask = FIRST_SLOTS - 1;
	s->most = most;
	s->list = memory_get(FIRST_SLOTS * sizeof *s->list);
}

static void hashes_forget(struct hashes *s)
{
	if (s->list)
		zero(s->list, (s->mask + 1) * sizeof *s->list);
	s->n = 0;
}

static uint64_t *slot(const struct hashes *s, uint64_t hash)
{
	uint64_t i = hash & s->mask;

	while (s->list[i] && s->list[i] != hash)
		i = (i + 1) & s->mask;
	return &s->list[i];
}

static void grow(struct hashes *s)
{
	uint64_t *old = s->list, n = s->mask + 1;

	s->mask = n * 4 - 1;
	s->list = memory_get(n * 4 * sizeof *s->list);
	for (uint64_t i = 0; i < n; i++)
		if (old[i])
			*slot(s, old[i]) = old[i];
}

static bool is_known(const struct hashes *s, uint64_t hash)
{
	return *slot(s, hash | !hash) != 0;
}

static enum known add(struct hashes *s, uint64_t hash)
{
	uint64_t *at;

	hash |= !hash;
	at = slot(s, hash);
	if (*at)
		return MET;
	if (s->n * 2 > s->mask) {
		if (s->mask + 1 >= s->most)
			return FULL;
		grow(s);
		at = slot(s, hash);
	}
	*at = hash;
	s->n++;
	return NEW;
}

static bool meets_again(void)
{
	return !rt->strategy->distinct || rt->config.observers;
}

void kept_init(uint64_t room)
{
	bool bounded = rt->config.keep != KEEP_ALL && lp_search_random(rt->config.search);

	k = memory_get(sizeof *k);
	k->room = bounded ? room ? room : LP_RANDOM_ROOM : 0;
	if (meets_again())
		hashes_make(&k->seen, bounded ? MOST_SLOTS : UINT64_MAX);
	if (rt->config.keep != KEEP_ALL)
		hashes_make(&k->alike, UINT64_MAX);
}

void kept_forget(void)
{
	hashes_forget(&k->seen);
	hashes_forget(&k->alike);
	k->from = 0;
}

/* How many quarters of the room are used. */
static uint64_t quarters(void)
{
	return k->room ? (rt->status->trace_bytes - k->from) * 4 / k->room : 0;
}

/* Is there something to be said of the class that a recorded one does not say? */
static bool says_new(void)
{
	uint64_t used = quarters(), key = alike_key(rt->config.check == CHECK_LIN), less;

	if (used < 2)
		return add(&k->alike, key) != MET;
	if (is_known(&k->alike, key))
		return false;
	less = used < 3 ? alike_key(false) : alike_end();
	if (used < 4 && add(&k->alike, less) != MET)
		return true;
	rt->status->unjudged++;
	return false;
}

bool kept_class(uint64_t hash)
{
	enum known class = meets_again() ? add(&k->seen, hash) : NEW;
	struct lp_status *s = rt->status;

	if (class == MET)
		return false;
	if (LIKELY(rt->config.keep == KEEP_ALL))
		return true;
	if (s->classes < rt->config.keep)
		k->from = s->trace_bytes;
	if (says_new() || s->classes < rt->config.keep)
		return true;
	if (class == FULL) {
		s->uncounted++;
	} else {
		s->unkept++;
		s->outcomes[rt->outcome.kind]++;
	}
	return false;
}

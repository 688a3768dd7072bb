/* SPDX-License-Identifier: MIT
 *
 * Visits: the points that threads came to in this execution, each with the thread's local state, so
 * that a thread that is back in the same state is noticed.
 *
 * This is done at every event, so it is done lazily. Of most points no state is kept, but only that
 * they were visited. When a thread comes back to such a point, the execution is abandoned and run
 * again, and from then on states are kept there. That changes nothing but the time that is needed:
 * each execution that counts has all states that are asked for. And what a state is told from is
 * only copied; it is hashed when a later visit of the same point asks for it. A stack too large to
 * be copied is hashed at once.
 *
 * Most arrivals of an execution are those of the one before it: what was entered for them stays, and
 * only what came later is taken back, the latest first. Where nothing can be kept the tables are not
 * cleared, either: a cell of an older generation counts as empty.
 */
#include "../extended.h"
#include "../local_state.h"
#include "../memory.h"
#include "../state.h"

#define COPY_WORDS 160 /* of stack that are copied */

struct visit {
	uint32_t at;     /* log index */
	uint32_t before; /* number of the visit of the same point before it */
	uint32_t rounds;
	uint32_t copied; /* where its stack is in `copies` */
	uint32_t news;
	uint64_t sum;    /* both as those of struct rounds */
	uint64_t hash;   /* of the state; 0: not known yet */
	struct local_state state;
};

struct cell {
	uint64_t key;
	uint32_t generation;
	uint32_t visit; /* the latest of this point; 0: it was not kept */
};

/* A fiber has announced an event, and what that left in the tables. */
struct arrival {
	struct code_place *noted; /* a point more is there; or NULL */
	uint32_t at;              /* log index */
	uint32_t visit;           /* or 0 */
	uint32_t cell;            /* that was changed; or NO_CELL */
	bool first;               /* it is new */
};
#define NO_CELL UINT32_MAX

static struct visits {
	struct cell *cells;
	uint32_t mask, used, generation;
	struct visit *list;
	uint32_t n, capacity;
	uint64_t *copies;
	uint32_t ncopied, copies_capacity;
	struct arrival *arrivals;
	uint32_t narrivals, arrivals_capacity;
	uint32_t kept, again; /* those before this log index are kept; the first of them that may still have to be looked at */
	bool all;   /* states are kept everywhere */
	bool stale; /* nothing can be kept or taken back: cells have moved, or states are wanted that were not kept */
} *v;

void visits_init(void)
{
	local_state_init();
	v = memory_get(sizeof *v);
	v->mask = (1 << 9) - 1;
	v->cells = memory_get((v->mask + 1UL) * sizeof *v->cells);
	v->capacity = 1 << 10;
	v->list = memory_get(v->capacity * sizeof *v->list);
	v->copies_capacity = 1 << 16;
	v->copies = memory_get(v->copies_capacity * sizeof *v->copies);
	v->arrivals_capacity = 1 << 10;
	v->arrivals = memory_get(v->arrivals_capacity * sizeof *v->arrivals);
	visits_keep(0);
}

static void take_back(void)
{
	const struct arrival *a = &v->arrivals[--v->narrivals];

	if (a->noted)
		a->noted->n--;
	if (a->cell != NO_CELL) {
		struct cell *c = &v->cells[a->cell];

		if (a->first) { /* the latest that was put in, so nothing was put behind it */
			c->generation = 0;
			v->used--;
		} else {
			c->visit = v->list[a->visit].before;
		}
	}
	if (a->visit) {
		v->n = a->visit;
		v->ncopied = v->list[a->visit].copied;
	}
}

/* Where the next state was kept in the execution before: up to there, nothing is to be done. */
static void find_next(void)
{
	uint32_t i = v->again;

	while (i < v->narrivals && !v->arrivals[i].visit)
		i++;
	rt->waiting.quiet = i < v->narrivals ? v->arrivals[i].at : v->kept;
	while (i > v->again && v->arrivals[i - 1].at == rt->waiting.quiet) /* others arrived there first */
		i--;
	v->again = i;
}

/* That it is there again is known. */
static uint32_t visit_again(void)
{
	uint32_t visit;

	if (rt->n < rt->waiting.quiet)
		return 0;
	visit = v->arrivals[v->again++].visit;
	if (v->again == v->narrivals || v->arrivals[v->again].at != rt->n)
		find_next();
	return visit;
}

void visits_keep(uint32_t n)
{
	bool all = rt->again | rt->record | rt->waiting.all;

	v->kept = v->again = 0;
	if (n && !v->stale && all == v->all) {
		while (v->narrivals && v->arrivals[v->narrivals - 1].at >= n)
			take_back();
		v->kept = n;
		rt->waiting.quiet = n;
		if (v->n > 1)
			find_next();
		return;
	}
	v->all = all;
	v->stale = false;
	v->generation++;
	v->used = v->ncopied = v->narrivals = 0;
	v->n = 1;
}

uint32_t visit_before(uint32_t visit)
{
	return v->list[visit].before;
}

uint32_t visit_at(uint32_t visit)
{
	return v->list[visit].at;
}

uint32_t *visit_rounds(uint32_t visit)
{
	return &v->list[visit].rounds;
}

static struct cell *slot(uint64_t key)
{
	uint32_t i = (uint32_t)(key >> 32) & v->mask;

	while (v->cells[i].generation == v->generation && v->cells[i].key != key)
		i = (i + 1) & v->mask;
	return &v->cells[i];
}

static void grow(void)
{
	struct cell *old = v->cells;
	uint32_t n = v->mask + 1;

	v->mask = n * 4 - 1;
	v->cells = memory_get(n * 4UL * sizeof *v->cells);
	for (uint32_t i = 0; i < n; i++)
		if (old[i].generation == v->generation)
			*slot(old[i].key) = old[i];
	v->stale = true;
}

/* The number of the latest visit of the point, 0 if there was none; now it is `visit`. */
static uint32_t enter(uint64_t key, uint32_t visit, struct arrival *a)
{
	struct cell *c = slot(key);
	uint32_t before = c->visit;

	a->first = c->generation != v->generation;
	if (a->first) {
		if (UNLIKELY(++v->used * 2 > v->mask)) {
			grow();
			c = slot(key);
		}
		c->key = key;
		c->generation = v->generation;
		before = 0;
	}
	c->visit = visit;
	a->cell = (uint32_t)(c - v->cells);
	return before;
}

static void keep(struct visit *w)
{
	size_t words = (w->state.high - w->state.low) / 8;
	const uint64_t *from = w->state.words;
	uint64_t *to;

	w->hash = 0;
	w->copied = v->ncopied;
	if (UNLIKELY(words > COPY_WORDS)) {
		w->hash = local_state_hash(&w->state);
		return;
	}
	if (UNLIKELY(v->ncopied + words > v->copies_capacity))
		v->copies = memory_twice(v->copies, &v->copies_capacity, sizeof *v->copies);
	to = v->copies + v->ncopied;
	v->ncopied += (uint32_t)words;
	for (size_t i = 0; i < words; i++)
		to[i] = from[i];
}

static struct local_state *copied_state(struct visit *w)
{
	if (!w->hash)
		w->state.words = v->copies + w->copied;
	return &w->state;
}

/* Was the point visited before? The place itself has room for the first few. There are 32 bits of
 * each only: a mistake would cost time and nothing else. */
static bool visited(struct code_place *p, uint64_t point, struct arrival *a)
{
	uint32_t part = (uint32_t)(point >> 32);
	struct cell *c;

	if (p->generation != v->generation) {
		p->generation = v->generation;
		p->n = 0;
	}
	for (unsigned i = 0; i < p->n; i++)
		if (UNLIKELY(p->points[i] == part))
			return true;
	if (LIKELY(p->n < PLACE_POINTS)) {
		p->points[p->n++] = part;
		a->noted = p;
		return false;
	}
	c = slot(point);
	if (c->generation == v->generation)
		return true;
	enter(point, 0, a);
	return false;
}

/* With its state. */
static uint32_t enter_visit(const struct fiber *f, uint64_t point, struct arrival *a)
{
	struct visit *w;

	if (UNLIKELY(v->n == v->capacity))
		v->list = memory_twice(v->list, &v->capacity, sizeof *v->list);
	w = &v->list[v->n];
	local_state_of(f, &w->state);
	w->at = rt->n;
	w->rounds = 0;
	w->news = f->rounds.news;
	w->sum = f->rounds.sum;
	w->before = enter(point ^ w->state.vectors, v->n, a);
	keep(w);
	return v->n++;
}

static __attribute__((noinline)) uint32_t arrive(const struct fiber *f, struct arrival *a)
{
	struct code_place *p = local_place(f);
	uint64_t point;

	if (UNLIKELY(!p))
		return 0;
	point = mix(local_state_point(f, p), f->id);
	/* Vector registers cannot be looked at later, and are taken for zero then. What is run once more is not
	 * abandoned. */
	if (UNLIKELY(p->kept | v->all) || (f->rounds.site && local_vectors_live(f, p) && !vectors_are_zero()))
		return enter_visit(f, point, a);
	if (UNLIKELY(visited(p, point, a))) {
		p->kept = v->stale = true;
		rt->need_again = 1;
	}
	return 0;
}

uint32_t visit_enter(const struct fiber *f)
{
	struct arrival *a;

	if (rt->n < v->kept)
		return visit_again();
	if (UNLIKELY(v->narrivals == v->arrivals_capacity))
		v->arrivals = memory_twice(v->arrivals, &v->arrivals_capacity, sizeof *v->arrivals);
	a = &v->arrivals[v->narrivals++];
	*a = (struct arrival){ .at = rt->n, .cell = NO_CELL };
	a->visit = arrive(f, a);
	return a->visit;
}

static uint64_t hash_of(struct visit *w)
{
	if (!w->hash)
		w->hash = local_state_hash(copied_state(w));
	return w->hash;
}

uint64_t visit_state(const struct fiber *f)
{
	struct local_state s;

	if (f->rounds.visit)
		return hash_of(&v->list[f->rounds.visit]);
	return local_state_of(f, &s) ? local_state_hash(&s) : 0;
}

bool visit_may_be_restored(uint32_t visit, const struct fiber *f)
{
	const struct visit *w = &v->list[visit];

	return w->sum == f->rounds.sum || w->news != f->rounds.news;
}

bool visits_same(uint32_t a, uint32_t b)
{
	struct visit *x = &v->list[a], *y = &v->list[b];

	return hash_of(x) == hash_of(y);
}

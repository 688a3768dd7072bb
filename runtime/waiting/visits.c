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
 * The tables are not cleared between executions: a cell of an older generation counts as empty.
 */
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

static struct visits {
	struct cell *cells;
	uint32_t mask, used, generation;
	struct visit *list;
	uint32_t n, capacity;
	uint64_t *copies;
	uint32_t ncopied, copies_capacity;
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
	visits_reset();
}

void visits_reset(void)
{
	v->generation++;
	v->used = 0;
	v->n = 1;
	v->ncopied = 0;
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
}

/* The number of the latest visit of the point, 0 if there was none; now it is `visit`. */
static uint32_t enter(uint64_t key, uint32_t visit)
{
	struct cell *c = slot(key);
	uint32_t before = c->visit;

	if (c->generation != v->generation) {
		if (UNLIKELY(++v->used * 2 > v->mask)) {
			grow();
			c = slot(key);
		}
		c->key = key;
		c->generation = v->generation;
		before = 0;
	}
	c->visit = visit;
	return before;
}

/* Twice the room, with what is there. */
static void *more(void *old, uint32_t *capacity, size_t size)
{
	void *new = memory_get(*capacity * 2UL * size);

	copy(new, old, *capacity * size);
	*capacity *= 2;
	return new;
}

static void keep(struct visit *w)
{
	size_t words = (w->state.high - w->state.low) / 8;
	const uint64_t *from = w->state.words;
	uint64_t *to;

	w->hash = 0;
	if (UNLIKELY(words > COPY_WORDS)) {
		w->hash = local_state_hash(&w->state);
		return;
	}
	if (UNLIKELY(v->ncopied + words > v->copies_capacity))
		v->copies = more(v->copies, &v->copies_capacity, sizeof *v->copies);
	w->copied = v->ncopied;
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
 * each only, mixed with the generation, so that older ones do not count: a mistake would cost time
 * and nothing else. */
static bool visited(struct code_place *p, uint64_t point)
{
	uint32_t part = (uint32_t)(mix(point, v->generation) >> 32), found = 0;
	struct cell *c;

	for (unsigned i = 0; i < PLACE_POINTS; i++)
		found |= p->points[i] == part;
	if (UNLIKELY(found))
		return true;
	p->n = p->generation == v->generation ? p->n : 0;
	p->generation = v->generation;
	if (LIKELY(p->n < PLACE_POINTS)) {
		p->points[p->n++] = part;
		return false;
	}
	c = slot(point);
	if (c->generation == v->generation)
		return true;
	enter(point, 0);
	return false;
}

/* With its state. */
static uint32_t enter_visit(const struct fiber *f, uint64_t point)
{
	struct visit *w;

	if (UNLIKELY(v->n == v->capacity))
		v->list = more(v->list, &v->capacity, sizeof *v->list);
	w = &v->list[v->n];
	local_state_of(f, &w->state);
	w->at = rt->n;
	w->rounds = 0;
	w->news = f->rounds.news;
	w->sum = f->rounds.sum;
	w->before = enter(point ^ w->state.vectors, v->n);
	keep(w);
	return v->n++;
}

uint32_t visit_enter(const struct fiber *f)
{
	struct code_place *p = local_place(f);
	uint64_t point;

	if (UNLIKELY(!p))
		return 0;
	point = mix(local_state_point(f, p), f->id);
	/* Vector registers cannot be looked at later. What is run once more is not abandoned. */
	if (UNLIKELY(p->kept | (f->rounds.site && local_vectors_live(f, p)) | rt->again |
		     rt->record | rt->waiting.all))
		return enter_visit(f, point);
	if (UNLIKELY(visited(p, point))) {
		p->kept = true;
		rt->need_again = 1;
	}
	return 0;
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

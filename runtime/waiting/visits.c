/* SPDX-License-Identifier: MIT
 *
 * Visits: the points that threads came to in this execution, each with the thread's local state, so
 * that a thread that is back in the same state is noticed. Local state: where it is, what it is
 * about to do, its registers, and its stack from there up; without what is known to be dead.
 *
 * This is done at every event, so it is done lazily. The first key is a hash of the registers, and
 * the stack is only copied. It is hashed, into the second key, once a visit with the same first key
 * comes: for straight code, and for a loop that keeps its counter in a register, never. A stack too
 * large to be copied counts from its second visit on, which costs one more round and loses nothing.
 * The keys have 64 bits each and are not compared further: that two different states of one thread
 * agree in both is less likely than that the memory of the computer fails.
 *
 * The tables are not cleared between executions: a cell of an older generation counts as empty.
 */
#include "../extended.h"
#include "../frame_view.h"
#include "../memory.h"
#include "../services.h"
#include "../state.h"

#define COPY_WORDS   128 /* of stack that are kept at a first visit */
#define VECTOR_WORDS 32
#define VIEWS        1024 /* that are found at once */
#define MAX_FRAMES   64
#define CALLEE_SAVED 6
#define HOLES        3
#define RED_ZONE_WORDS 16

/* Where a thread is: the parts of its state, and what is known of them. */
struct place {
	const struct frame_view *view; /* NULL: everything counts */
	uint64_t sp, low;              /* low: the lowest address of the stack that is of interest */
	uint64_t callee[CALLEE_SAVED]; /* r15 r14 r13 r12 rbx rbp */
	uint64_t key;                  /* the first key; 0: the state cannot be told */
	uint64_t holes[HOLES];         /* two words each that are no state; 0: none */
};

struct visit {
	uint32_t at;     /* log index */
	uint32_t before; /* number of the visit before it in the same state */
	uint32_t rounds;
	uint32_t copied; /* where its stack is in `copies` */
	uint32_t words;  /* of it; 0: it was not copied */
	struct place place;
};

struct view_cell {
	const struct frame_view *view;
	uint64_t pc;
	bool site;
};

struct cell {
	uint64_t key;
	uint32_t generation;
	uint32_t visit; /* the latest with this key */
	uint8_t repeated; /* a first key that came twice: second keys are in the table too */
};

static struct visits {
	struct cell *cells;
	uint32_t mask, used, generation;
	struct visit *list;
	uint32_t n, capacity;
	uint64_t *copies;
	uint32_t ncopied, copies_capacity;
	struct view_cell views[VIEWS];
} *v;

void visits_init(void)
{
	v = memory_get(sizeof *v);
	v->mask = (1 << 12) - 1;
	v->cells = memory_get((v->mask + 1UL) * sizeof *v->cells);
	v->capacity = 1 << 12;
	v->list = memory_get(v->capacity * sizeof *v->list);
	v->copies_capacity = 1 << 15;
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

static struct cell *slot_used(uint64_t key)
{
	struct cell *c = slot(key);

	if (LIKELY(++v->used * 2 <= v->mask)) {
		c->key = key;
		c->generation = v->generation;
		c->repeated = 0;
		return c;
	}
	{
		struct cell *old = v->cells;
		uint32_t n = v->mask + 1;

		v->mask = n * 4 - 1;
		v->cells = memory_get(n * 4UL * sizeof *v->cells);
		for (uint32_t i = 0; i < n; i++)
			if (old[i].generation == v->generation)
				*slot(old[i].key) = old[i];
		v->used--;
	}
	return slot_used(key);
}

/* Twice the room, with what is there. */
static void *more(void *old, uint32_t *capacity, size_t size)
{
	void *new = memory_get(*capacity * 2UL * size);

	copy(new, old, *capacity * size);
	*capacity *= 2;
	return new;
}

static inline uint64_t hash_array(uint64_t h, const uint64_t *p, size_t n)
{
	uint64_t a = h, b = ~h;

	for (; n >= 2; n -= 2, p += 2) {
		a = (a ^ p[0]) * 0x9e3779b97f4a7c15ULL;
		b = (b ^ p[1]) * 0xd1342543de82ef95ULL;
		a ^= a >> 29;
		b ^= b >> 31;
	}
	if (n)
		a = (a ^ p[0]) * 0x9e3779b97f4a7c15ULL;
	return mix(a, b);
}

static const uint8_t callee_number[CALLEE_SAVED] = { 15, 14, 13, 12, 3, 5 };
#define CALLEE_MASK 0xf028u

/* Looking up a view takes longer than this. */
static const struct frame_view *view_of(uint64_t pc, bool site)
{
	struct view_cell *c = &v->views[(pc ^ pc >> 10) % VIEWS];

	if (UNLIKELY(c->pc != pc || c->site != site)) {
		c->pc = pc;
		c->site = site;
		c->view = site ? instrumentation.frame_before(pc) : instrumentation.frame_return(pc);
	}
	return c->view;
}

static uint64_t hash_registers(uint64_t h, const struct place *at, const struct rounds *r,
			       uint64_t pc)
{
	uint64_t registers[SITE_REGISTERS], vectors[VECTOR_WORDS];
	uint32_t live = at->view ? at->view->live : CALLEE_MASK;

	if (!r->site) {
		for (unsigned i = 0; i < CALLEE_SAVED; i++)
			h = mix(h, live >> callee_number[i] & 1 ? at->callee[i] : 0);
		return h;
	}
	instrumentation.registers(r->site, r->entry, registers);
	if (!at->view)
		live |= instrumentation.live(r->site);
	for (unsigned i = 0; i < SITE_REGISTERS; i++)
		h = mix(h, i == 16 || live >> i & 1 ? registers[i] : 0);
	if (at->view ? at->view->vectors_live : instrumentation.live(r->site) & SITE_VECTORS) {
		vectors_copy((uint8_t *)vectors);
		h = hash_array(h, vectors, VECTOR_WORDS);
	}
	return mix(h, r->element);
}

/* The state but for the stack and what callers have in registers. Its key is 0 if that cannot be
 * told: the event is not announced where the thread entered the runtime. */
static struct place place_of(const struct fiber *f)
{
	const struct rounds *r = &f->rounds;
	const struct pending *p = &f->pending;
	struct place at = { 0 };
	uint64_t h;

	if (!r->entry)
		return at;
	at.sp = (uint64_t)(r->entry + ENTRY_SP + (r->site ? RED_ZONE_WORDS : 0));
	at.low = (uint64_t)(r->entry + ENTRY_SP + r->red_zone);
	if (at.sp >= f->stack_hi)
		return at;
	/* A hook that was jumped to returns to the caller of the function that did so. */
	at.view = r->site ? view_of(p->pc, true) : view_of(r->entry[ENTRY_PC], false);
	at.holes[0] = (uint64_t)r->deadline;
	at.holes[1] = (uint64_t)r->clocks[0];
	at.holes[2] = (uint64_t)r->clocks[1];
	for (unsigned i = 0; i < CALLEE_SAVED; i++)
		at.callee[i] = r->entry[i + 1];
	h = mix(p->pc ^ (uint64_t)f->id << 56, at.sp);
	h = mix(h, p->addr ^ p->addr2 << 1);
	h = mix(h, (uint64_t)p->kind | (uint64_t)p->flags << 8 | (uint64_t)p->wait << 16 |
			   (uint64_t)p->attempt << 24 | (uint64_t)p->size << 32);
	if (p->compare)
		h = mix(mix(h, p->expected), p->expected_high);
	h = hash_registers(h, &at, r, p->pc);
	at.key = h ? h : 1;
	return at;
}

/* The stack of a thread from `low` on, in its place or as a copy. */
struct stack {
	uint64_t low, high;
	const uint8_t *bytes;
	const uint64_t *holes;
};

static uint64_t word_at(const struct stack *s, uint64_t addr)
{
	return *(const uint64_t *)(s->bytes + (addr - s->low));
}

static uint64_t hash_range(uint64_t h, const struct stack *s, uint64_t lo, uint64_t hi)
{
	if (lo < s->low)
		lo = s->low;
	if (hi > s->high)
		hi = s->high;
	for (unsigned i = 0; i < HOLES; i++) {
		uint64_t hole = s->holes[i], end = hole + 16;

		if (LIKELY(!hole) || lo >= end || hole >= hi)
			continue;
		if (lo < hole)
			h = hash_range(h, s, lo, hole);
		return end < hi ? hash_range(h, s, end, hi) : h;
	}
	for (; lo & 7 && lo < hi; lo++)
		h = mix(h, s->bytes[lo - s->low]);
	if (lo + 8 <= hi) {
		h = hash_array(h, (const uint64_t *)(s->bytes + (lo - s->low)), (hi - lo) / 8);
		lo += (hi - lo) & ~7UL;
	}
	for (; lo < hi; lo++)
		h = mix(h, s->bytes[lo - s->low]);
	return h;
}

/* A stretch of a frame, without the slots that hold registers of callers. */
static uint64_t hash_live(uint64_t h, const struct stack *s, const struct frame_view *view,
			  uint64_t sp, uint64_t lo, uint64_t hi)
{
	for (unsigned i = 0; i < view->nsaved; i++) {
		uint64_t slot = sp + (uint64_t)(int64_t)view->saved[i].offset;

		if (lo <= slot && slot < hi) {
			h = hash_live(h, s, view, sp, lo, slot);
			return hash_live(h, s, view, sp, slot + 8, hi);
		}
	}
	return lo < hi ? hash_range(h, s, lo, hi) : h;
}

/* What is live of one frame, when `live` registers are so in its caller. */
static uint64_t hash_frame(uint64_t h, const struct stack *s, const struct frame_view *view,
			   uint64_t sp, uint32_t live)
{
	uint64_t at = sp + (uint64_t)(int64_t)view->low, end = sp + (uint64_t)(int64_t)view->return_at;

	for (unsigned i = 0; i < view->nsaved; i++)
		if (live >> view->saved[i].reg & 1)
			h = mix(h, word_at(s, sp + (uint64_t)(int64_t)view->saved[i].offset));
	for (unsigned i = 0; i < view->ndead; i++) {
		uint64_t dead = sp + (uint64_t)(int64_t)view->dead[i].offset;

		h = hash_live(h, s, view, sp, at, dead);
		at = dead + view->dead[i].size;
	}
	h = hash_live(h, s, view, sp, at, end);
	return mix(h, word_at(s, end));
}

/* The second key: all that is live, by the views of the frames, from the outermost that has one. */
static uint64_t second_key(const struct place *at, const struct stack *s)
{
	const struct frame_view *views[MAX_FRAMES], *view = at->view;
	uint64_t sps[MAX_FRAMES], sp = at->sp, h = at->key + 1;
	uint32_t live = CALLEE_MASK;
	unsigned n = 0;

	while (view && n < MAX_FRAMES) {
		uint64_t end = sp + (uint64_t)(int64_t)view->return_at;

		if (end < s->low || end + 8 > s->high)
			break;
		views[n] = view;
		sps[n++] = sp;
		sp = end + 8;
		view = sp < s->high ? view_of(word_at(s, end), false) : NULL;
	}
	h = hash_range(h, s, n ? sp : at->low, s->high);
	while (n-- > 0) {
		h = hash_frame(h, s, views[n], sps[n], live);
		if (n)
			live = (views[n]->live | (views[n]->passed & live)) & CALLEE_MASK;
	}
	if (at->view)
		live &= at->view->passed;
	for (unsigned i = 0; i < CALLEE_SAVED; i++)
		if (live >> callee_number[i] & 1)
			h = mix(h, at->callee[i]);
	return h ? h : 1;
}

/* As it is now. */
static struct stack stack_now(const struct place *at, const struct fiber *f)
{
	return (struct stack){ .low = at->low,
			       .high = f->stack_hi,
			       .bytes = (const uint8_t *)at->low,
			       .holes = at->holes };
}

void local_state_keep(struct fiber *f)
{
	f->rounds.key = place_of(f).key;
}

uint64_t local_state(const struct fiber *f)
{
	struct place at;
	struct stack s;

	if (!f->rounds.key)
		return 0;
	at = place_of(f);
	at.key = f->rounds.key; /* registers may be those of another thread now */
	s = stack_now(&at, f);
	return second_key(&at, &s);
}

static void keep_stack(struct visit *w, const struct place *at, uint64_t high)
{
	size_t words = (high - at->low) / 8;
	uint64_t *to;

	if (words > COPY_WORDS)
		return;
	if (v->ncopied + words > v->copies_capacity)
		v->copies = more(v->copies, &v->copies_capacity, sizeof *v->copies);
	w->copied = v->ncopied;
	w->words = (uint32_t)words;
	w->place = *at;
	to = v->copies + v->ncopied;
	v->ncopied += (uint32_t)words;
	for (size_t i = 0; i < words; i++)
		to[i] = ((const uint64_t *)at->low)[i];
}

/* The second visit with a first key: the first one's stack is hashed after all. */
static void enter_first(struct cell *first)
{
	struct visit *w = &v->list[first->visit];
	struct stack s;
	struct cell *c;

	first->repeated = 1;
	if (!w->words)
		return;
	s = (struct stack){ .low = w->place.low,
			    .high = w->place.low + w->words * 8UL,
			    .bytes = (const uint8_t *)(v->copies + w->copied),
			    .holes = w->place.holes };
	c = slot_used(second_key(&w->place, &s));
	c->visit = (uint32_t)(w - v->list);
}

uint32_t visit_enter(struct fiber *f)
{
	struct place at = place_of(f);
	struct visit *w;
	struct stack s;
	struct cell *c;
	uint64_t key;

	f->rounds.key = at.key;
	if (UNLIKELY(!at.key))
		return 0;
	if (UNLIKELY(v->n == v->capacity))
		v->list = more(v->list, &v->capacity, sizeof *v->list);
	w = &v->list[v->n];
	w->at = rt->n;
	w->before = w->words = w->rounds = 0;
	c = slot(at.key);
	if (LIKELY(c->generation != v->generation)) {
		c = slot_used(at.key);
		c->visit = v->n;
		keep_stack(w, &at, f->stack_hi);
		return v->n++;
	}
	if (!c->repeated)
		enter_first(c);
	s = stack_now(&at, f);
	key = second_key(&at, &s);
	c = slot(key);
	if (c->generation == v->generation) {
		w->before = c->visit;
		w->rounds = v->list[c->visit].rounds;
	} else {
		c = slot_used(key);
	}
	c->visit = v->n;
	return v->n++;
}

/* SPDX-License-Identifier: MIT */
#include "local_state.h"
#include "extended.h"
#include "frame_view.h"
#include "memory.h"
#include "modules.h"
#include "services.h"
#include "state.h"

#define PLACES         4096
#define VECTOR_WORDS   32
#define MAX_FRAMES     64
#define CALLEE_SAVED   6
#define CALLEE_MASK    0xf028u
#define ALL_REGISTERS  0xffffu
#define RED_ZONE_WORDS 16
#define SITE_WORDS     9 /* that a site pushes below what hooks push (instrument/event.h) */

static const uint8_t callee_number[CALLEE_SAVED] = { 15, 14, 13, 12, 3, 5 };
static const uint64_t odd[CALLEE_SAVED] = { 0x9e3779b97f4a7c15, 0xd1342543de82ef95,
					    0xbf58476d1ce4e5b9, 0x94d049bb133111eb,
					    0xff51afd7ed558ccd, 0xc4ceb9fe1a85ec53 };

static struct places {
	struct code_place list[PLACES + 1]; /* a hash table; the last one is for what has no room */
	unsigned n;
} *places;

void local_state_init(void)
{
	void *memory = memory_get(sizeof *places + sizeof places->list[0]);

	places = (struct places *)round_up((uint64_t)memory, sizeof places->list[0]);
}

static __attribute__((noinline)) struct code_place *new_place(struct code_place *p, uint64_t pc, bool site)
{
	const struct frame_view *view = site ? instrumentation.frame_before(pc)
					     : instrumentation.frame_return(pc);
	bool room = places->n < PLACES / 4 * 3;

	places->n += room;
	if (!room)
		p = &places->list[PLACES];
	*p = (struct code_place){
		.pc = pc,
		.view = view,
		.live = view ? view->live : CALLEE_MASK,
		.site = site,
		.vectors_live = view && view->vectors_live,
		.kept = !room,
	};
	return p;
}

static inline struct code_place *place_of(uint64_t pc, bool site)
{
	unsigned i = (unsigned)(pc ^ pc >> 12) % PLACES;

	for (;; i = (i + 1) % PLACES) {
		struct code_place *p = &places->list[i];

		if (LIKELY(p->pc == pc && p->site == site))
			return p;
		if (!p->pc)
			return new_place(p, pc, site);
	}
}

static const struct frame_view *view_of(uint64_t pc, bool site)
{
	return place_of(pc, site)->view;
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

static uint64_t word_at(const struct local_state *s, uint64_t addr)
{
	return *(const uint64_t *)((const uint8_t *)s->words + (addr - s->low));
}

static uint64_t hash_range(uint64_t h, const struct local_state *s, uint64_t lo, uint64_t hi)
{
	if (lo < s->low)
		lo = s->low;
	if (hi > s->high)
		hi = s->high;
	for (unsigned i = 0; UNLIKELY(i < s->nholes); i++) {
		const struct hole *hole = &s->holes[i];

		if (lo >= hole->hi || hole->lo >= hi)
			continue;
		if (lo < hole->lo)
			h = hash_range(h, s, lo, hole->lo);
		return hole->hi < hi ? hash_range(h, s, hole->hi, hi) : h;
	}
	for (; lo & 7 && lo < hi; lo++)
		h = mix(h, ((const uint8_t *)s->words)[lo - s->low]);
	if (lo + 8 <= hi) {
		h = hash_array(h, (const uint64_t *)((const uint8_t *)s->words + (lo - s->low)), (hi - lo) / 8);
		lo += (hi - lo) & ~7UL;
	}
	for (; lo < hi; lo++)
		h = mix(h, ((const uint8_t *)s->words)[lo - s->low]);
	return h;
}

/* A stretch of a frame, without the slots that hold registers of callers. */
static uint64_t hash_live(uint64_t h, const struct local_state *s, const struct frame_view *view,
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
static uint64_t hash_frame(uint64_t h, const struct local_state *s, const struct frame_view *view,
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

/* The program's stack pointer, and the lowest address of its stack that is of interest. */
static uint64_t stack_pointer(const struct local_state *s)
{
	return s->entry + 8 * (ENTRY_SP + (s->site ? RED_ZONE_WORDS : 0));
}

static uint64_t callee_saved(const struct local_state *s, unsigned i)
{
	return word_at(s, s->entry + 8 * (i + 1));
}

/* What a function may read after one that returned to it there, if nothing is known of it: a system's
 * library keeps to the calling convention. */
static uint32_t live_in_caller(const struct local_state *s, uint64_t from, uint64_t to)
{
	uint64_t offset;

	return module_of_code(from, &offset) == module_of_code(to, &offset) ? ALL_REGISTERS
									     : CALLEE_MASK | 1;
}

/* The stack by the views of its frames, from the outermost that has one. *live: the registers that
 * are live in the innermost. */
static uint64_t hash_stack(uint64_t h, const struct local_state *s, uint32_t *live)
{
	const struct frame_view *views[MAX_FRAMES], *view = s->view;
	uint64_t sps[MAX_FRAMES], sp = stack_pointer(s), back = s->pending.pc;
	unsigned n = 0;

	while (view && n < MAX_FRAMES) {
		uint64_t end = sp + (uint64_t)(int64_t)view->return_at;

		if (end < s->low || end + 8 > s->high)
			break;
		views[n] = view;
		sps[n++] = sp;
		sp = end + 8;
		back = word_at(s, end);
		view = sp < s->high ? view_of(back, false) : NULL;
	}
	h = hash_range(h, s, n ? sp : s->entry + 8 * (ENTRY_SP + s->red_zone), s->high);
	if (n)
		*live = live_in_caller(s, views[n - 1]->pc, back);
	else
		*live = CALLEE_MASK | (s->site ? instrumentation.live(s->site) : 0);
	while (n-- > 0) {
		h = hash_frame(h, s, views[n], sps[n], *live);
		*live = views[n]->live | (views[n]->passed & *live);
	}
	return h;
}

static uint64_t hash_registers(uint64_t h, const struct local_state *s, uint32_t live)
{
	uint64_t registers[SITE_REGISTERS];

	if (!s->site) {
		for (unsigned i = 0; i < CALLEE_SAVED; i++)
			h = mix(h, live >> callee_number[i] & 1 ? callee_saved(s, i) : 0);
		return h;
	}
	instrumentation.registers(s->site, s->words + (s->entry - s->low) / 8, registers);
	for (unsigned i = 0; i < SITE_REGISTERS; i++)
		h = mix(h, i == 16 || live >> i & 1 ? registers[i] : 0);
	return mix(h, s->element);
}

bool local_vectors_live(const struct fiber *f, const struct code_place *p)
{
	return p->view ? p->vectors_live : (instrumentation.live(f->rounds.site) & SITE_VECTORS) != 0;
}

static inline bool can_be_told(const struct rounds *r)
{
	return r->entry && LIKELY(r->ncallbacks <= CALLBACKS) &&
	       (uintptr_t)(r->entry + ENTRY_SP + (r->site ? RED_ZONE_WORDS : 0)) < r->top;
}

/* A hook that was jumped to returns to the caller of the function that did so. */
struct code_place *local_place(const struct fiber *f)
{
	const struct rounds *r = &f->rounds;

	if (UNLIKELY(!can_be_told(r)))
		return NULL;
	return place_of(r->site ? f->pending.pc : r->entry[ENTRY_PC], r->site != NULL);
}

static void add_time(struct local_state *s, const uint64_t *words)
{
	if (UNLIKELY(words))
		s->holes[s->nholes++] = (struct hole){ (uint64_t)words, (uint64_t)(words + 2) };
}

bool local_state_of(const struct fiber *f, struct local_state *s)
{
	const struct rounds *r = &f->rounds;
	const uint64_t *low = r->entry - (r->site ? SITE_WORDS : 0);
	const struct code_place *p = local_place(f);

	if (!p)
		return false;
	s->view = p->view;
	s->site = r->site;
	s->words = low;
	s->low = (uint64_t)low;
	s->high = r->top;
	s->entry = (uint64_t)r->entry;
	s->red_zone = r->red_zone;
	s->element = r->element;
	s->nholes = 0;
	s->interrupted = 0;
	add_time(s, r->deadline);
	add_time(s, r->clocks[0]);
	add_time(s, r->clocks[1]);
	for (unsigned i = 0; UNLIKELY(i < r->ncallbacks); i++) {
		s->holes[s->nholes++] = (struct hole){ r->callbacks[i].lo, r->callbacks[i].hi };
		s->interrupted = mix(s->interrupted, r->callbacks[i].interrupted);
	}
	s->pending = f->pending;
	s->variables = fiber_tls_hash(f);
	s->vectors = 0;
	if (r->site && UNLIKELY(local_vectors_live(f, p)) && f == rt->cur && !vectors_are_zero()) {
		uint64_t vectors[VECTOR_WORDS];

		vectors_copy((uint8_t *)vectors);
		s->vectors = hash_array(1, vectors, VECTOR_WORDS);
	}
	return true;
}

uint64_t local_state_hash(const struct local_state *s)
{
	const struct pending *p = &s->pending;
	uint64_t h = mix(p->pc, stack_pointer(s));
	uint32_t live;

	h = mix(h, p->addr ^ p->addr2 << 1);
	if (UNLIKELY(s->interrupted))
		h = mix(h, s->interrupted);
	h = mix(h, (uint64_t)p->kind | (uint64_t)p->flags << 8 | (uint64_t)p->wait << 16 |
			   (uint64_t)p->attempt << 24 | (uint64_t)p->size << 32);
	if (p->compare)
		h = mix(mix(h, p->expected), p->expected_high);
	h = hash_stack(mix(mix(h, s->vectors), s->variables), s, &live);
	h = hash_registers(h, s, live);
	return h ? h : 1;
}

uint64_t local_state_point(const struct fiber *f, const struct code_place *p)
{
	const struct rounds *r = &f->rounds;
	const uint64_t *entry = r->entry;
	uint64_t h = f->pending.pc ^ (uint64_t)r->element << 48, sum = (uint64_t)entry ^ f->pending.addr;

	if (r->site)
		return mix(mix(h, sum), instrumentation.some_registers(r->site, entry, p->live));
	/* Without a branch that nobody can predict. */
	for (unsigned i = 0; i < CALLEE_SAVED; i++)
		sum += (entry[i + 1] & -(uint64_t)(p->live >> callee_number[i] & 1)) * odd[i];
	return mix(h, sum);
}

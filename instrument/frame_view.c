/* SPDX-License-Identifier: MIT
 *
 * Views of frames: made for a whole function when one of its places is first asked for, and kept in
 * the runtime's own memory, in a table of the module. Of functions that it calls a summary is made
 * first; for that, their own calls are taken to keep to the calling convention. So what is found
 * does not depend on what was asked before.
 *
 * It may be asked for in the middle of code, where vector registers hold the program's values, and
 * the decoder uses them.
 */
#include "../runtime/extended.h"
#include "../runtime/memory.h"
#include "frame.h"
#include "load.h"

#define SCRATCH (64UL << 20)

struct view_table {
	struct frame_view **views; /* by key; NULL: free */
	uint64_t *keys;
	uint32_t mask, n;
	uint8_t *asked;                  /* for each function of the module: enum asked */
	struct frame_summary *summaries; /* likewise */
};

enum asked { SUMMARY_MADE = 1, VIEWS_MADE = 2 }; /* bits */

static uint8_t *scratch;
static size_t scratch_used;
static struct module *module;
static uint32_t *callees;
static struct frame_view *building; /* with room for the most stretches that there can be */

struct view_table *view_table_new(void)
{
	return memory_get(sizeof(struct view_table));
}

/* There is room for all that frame_forward.c and frame_live.c let through. */
void *scratch_get(size_t size)
{
	uint8_t *p = scratch + scratch_used;

	size = round_up(size, 64);
	if (size > SCRATCH - scratch_used)
		die("the analysis of a function needs more memory than thought");
	scratch_used += size;
	zero(p, size);
	return p;
}

static uint32_t place(const struct view_table *t, uint64_t key)
{
	uint32_t i = (uint32_t)((key * 0x9e3779b97f4a7c15ULL) >> 32) & t->mask;

	while (t->views[i] && t->keys[i] != key)
		i = (i + 1) & t->mask;
	return i;
}

static void grow(struct view_table *t)
{
	struct view_table old = *t;
	uint32_t size = old.views ? (old.mask + 1) * 4 : 256;

	t->mask = size - 1;
	t->views = memory_get(size * sizeof(struct frame_view *));
	t->keys = memory_get(size * sizeof *t->keys);
	for (uint32_t k = 0; old.views && k <= old.mask; k++)
		if (old.views[k]) {
			uint32_t i = place(t, old.keys[k]);

			t->keys[i] = old.keys[k];
			t->views[i] = old.views[k];
		}
}

static void enter(struct view_table *t, uint64_t key, struct frame_view *v)
{
	uint32_t i;

	if (t->n * 2 > t->mask)
		grow(t);
	i = place(t, key);
	t->n += !t->views[i];
	t->keys[i] = key;
	t->views[i] = v;
}

/* Two views may have the same pc: one of either kind. */
static uint64_t key_of(uint64_t pc, bool during_call)
{
	return pc << 1 | during_call;
}

static bool byte_live(const struct live_state *l, int32_t at)
{
	return l->bytes[at / 64] >> at % 64 & 1;
}

/* Stretches of bytes that are not live from `from` on, both from the lowest byte of the frame. */
static void find_dead(const struct frame_function *f, const struct live_state *l,
		      struct frame_view *v, int32_t sp, int32_t from)
{
	for (int32_t at = from, end; at < -f->lowest; at = end) {
		end = at + 1;
		if (byte_live(l, at))
			continue;
		while (end < -f->lowest && !byte_live(l, end))
			end++;
		v->dead[v->ndead++] =
			(struct frame_dead){ at + f->lowest - sp, (uint32_t)(end - at) };
	}
}

/* Slots are not dead but apart: their bytes count as live while the stretches are looked for. */
static void find_saved(const struct frame_function *f, const struct live_state *l,
		       struct frame_view *v, int32_t sp)
{
	for (unsigned n = 0; n < f->nslots; n++) {
		int32_t at = f->slots[n].offset - f->lowest;
		bool live = false;

		if (!(l->saved >> n & 1) || f->slots[n].offset < sp)
			continue;
		for (int32_t k = at; k < at + 8; k++)
			live |= byte_live(l, k);
		for (int32_t k = at; k < at + 8; k++)
			l->bytes[k / 64] |= 1ULL << k % 64;
		if (!live)
			v->saved[v->nsaved++] =
				(struct frame_saved){ f->slots[n].offset - sp, f->slots[n].reg };
	}
}

static int32_t lowest_live(const struct frame_function *f, const struct live_state *l, int32_t sp)
{
	for (int32_t at = 0; at < sp - f->lowest; at++)
		if (byte_live(l, at))
			return at + f->lowest - sp;
	return 0;
}

static bool wanted(const struct frame_function *f, const struct step *s, bool during_call)
{
	return !s->foreign && (during_call || s->site || s->flow == FLOW_RETURN || s == f->steps ||
			       s[-1].flow == FLOW_CALL || s[-1].flow == FLOW_CALL_INDIRECT);
}

static void make_view(const struct frame_function *f, const struct step *s,
		      const struct live_state *live, bool during_call)
{
	struct frame_view *v = building;
	struct live_state l = *live;
	static byte_set bytes;
	size_t size;

	if (!wanted(f, s, during_call))
		return;
	l.bytes = bytes;
	copy(bytes, live->bytes, l.nwords * 8);
	*v = (struct frame_view){
		.pc = s->at + s->length,
		.return_at = -s->sp,
		.live = (uint16_t)(l.live & ~(1u << RSP)),
		.passed = (uint16_t)(l.passed & ~(1u << RSP)),
		.flags_live = ((l.live | l.passed) & LIVE_FLAGS) != 0,
		.vectors_live = ((l.live | l.passed) & LIVE_VECTORS) != 0,
		.escapes = f->escapes,
	};
	find_saved(f, &l, v, s->sp);
	v->low = lowest_live(f, &l, s->sp);
	if (v->low < -128)
		return;
	find_dead(f, &l, v, s->sp, s->sp + v->low - f->lowest);
	size = sizeof *v + v->ndead * sizeof *v->dead;
	v = memory_get(size);
	copy(v, building, size);
	enter(module->views, key_of(v->pc, during_call), v);
}

static struct frame_summary *summary; /* to be made */

static void make_summary(const struct frame_function *f, const struct step *s,
			 const struct live_state *live, bool during_call)
{
	if (s != f->steps || during_call)
		return;
	summary->live = live->live;
	summary->passed = live->passed;
	summary->arguments = f->arguments;
	summary->known = true;
	/* Something below the entry's stack pointer is read: it is no function of its own. (If it
	 * calls others it may be that these are thought to have arguments on the stack.) */
	for (uint32_t k = 0; k < live->nwords && f->red_zone; k++)
		summary->known &= !live->bytes[k];
}

static struct frame_function prepare(void)
{
	static struct step *steps;

	if (!scratch) {
		steps = map(working_place(MAX_STEPS * sizeof *steps), MAX_STEPS * sizeof *steps,
			    false, false);
		scratch = map(working_place(SCRATCH), SCRATCH, false, false);
		building = map(working_place(1UL << 20), 1UL << 20, false, false);
		callees = map(working_place(MAX_STEPS * sizeof *callees),
			      MAX_STEPS * sizeof *callees, false, false);
	}
	scratch_used = 0;
	return (struct frame_function){ .module = module, .steps = steps };
}

static void summarize(uint32_t index)
{
	struct frame_function f = prepare();

	summary = &module->views->summaries[index];
	if (frame_decode(&f, vector_at(&module->functions, struct function, index)) &&
	    frame_forward(&f))
		frame_live(&f, make_summary);
}

/* The functions of the module that it calls. */
static uint32_t find_callees(const struct frame_function *f)
{
	struct view_table *t = module->views;
	uint32_t n = 0;

	for (uint32_t k = 0; k < f->n; k++) {
		const struct function *to;
		uint32_t index;

		if (f->steps[k].call != CALL_LOCAL)
			continue;
		to = module_function(module, f->steps[k].target);
		index = (uint32_t)(to - (struct function *)module->functions.data);
		if (!(t->asked[index] & SUMMARY_MADE))
			callees[n++] = index;
		t->asked[index] |= SUMMARY_MADE;
	}
	return n;
}

static void analyze(void *of)
{
	struct view_table *t = module->views;
	struct frame_function f = prepare();
	uint32_t n;

	if (!frame_decode(&f, of))
		return;
	n = find_callees(&f);
	for (uint32_t k = 0; k < n; k++)
		summarize(callees[k]);
	f = prepare();
	f.summaries = t->summaries;
	if (frame_decode(&f, of) && frame_forward(&f))
		frame_live(&f, make_view);
}

/* The decoder calls libc's functions on memory, which are interposed. */
static void analyze_apart(struct module *m, struct function *f)
{
	uint64_t *entry = rt->entry;
	uint8_t tracing = rt->tracing, looking = rt->looking;

	module = m;
	rt->tracing = rt->looking = 0;
	extended_around(analyze, f);
	rt->tracing = tracing;
	rt->looking = looking;
	rt->entry = entry;
}

static void first_asked(struct module *m)
{
	struct view_table *t = m->views;

	grow(t);
	t->summaries = memory_get(m->functions.n * sizeof *t->summaries);
	t->asked = memory_get(m->functions.n);
}

static const struct frame_view *view(uint64_t pc, bool during_call)
{
	struct module *m = module_at(pc - 1);
	const struct frame_view *v;
	struct view_table *t;
	struct function *f;
	uint8_t *asked;

	if (!m)
		return NULL;
	t = m->views;
	if (!t->asked)
		first_asked(m);
	v = t->views[place(t, key_of(pc, during_call))];
	if (v)
		return v;
	f = module_function(m, pc - 1);
	if (!f)
		return NULL;
	asked = &t->asked[f - (struct function *)m->functions.data];
	if (*asked & VIEWS_MADE)
		return NULL;
	analyze_apart(m, f);
	*asked |= VIEWS_MADE;
	return t->views[place(t, key_of(pc, during_call))];
}

const struct frame_view *frame_view_before(uint64_t pc)
{
	return view(pc, false);
}

const struct frame_view *frame_view_return(uint64_t pc)
{
	return view(pc, true);
}

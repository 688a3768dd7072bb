/* SPDX-License-Identifier: MIT
 *
 * Decodes a function for the analysis of its frame. Parts of it that the compiler has put elsewhere
 * (cold code, which jumps back) belong to it.
 */
#include "frame.h"

#define MAX_PARTS 8

struct part {
	uint64_t lo, hi;
	uint32_t first, n; /* steps */
	const struct function *of;
	bool foreign; /* may be entered in another way as well */
};

struct parts {
	struct frame_function *f;
	struct part list[MAX_PARTS + 1];
	unsigned n;
	bool bad;
};

/* Decodes [lo, hi) behind the steps that there are. */
static bool decode_part(struct frame_function *f, struct part *p)
{
	p->first = f->n;
	for (uint64_t at = p->lo; at < p->hi;) {
		if (f->n == MAX_STEPS || !frame_step(f->module, at, p->hi, &f->steps[f->n]))
			return false;
		f->steps[f->n].foreign = p->foreign;
		at += f->steps[f->n++].length;
	}
	p->n = f->n - p->first;
	if (p->n)
		f->steps[f->n - 1].last = 1;
	return p->n > 0;
}

static const struct part *part_of(const struct parts *p, uint64_t at)
{
	for (unsigned k = 0; k < p->n; k++)
		if (at >= p->list[k].lo && at < p->list[k].hi)
			return &p->list[k];
	return NULL;
}

/* The first step of the part that ends behind `at`. */
static uint32_t step_behind(const struct frame_function *f, const struct part *p, uint64_t at)
{
	uint32_t lo = p->first, hi = p->first + p->n;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (f->steps[mid].at + f->steps[mid].length <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The step that begins at `at`, or -1. */
static int32_t index_of(const struct parts *p, uint64_t at)
{
	const struct part *part = part_of(p, at);
	uint32_t k = part ? step_behind(p->f, part, at) : 0;

	return part && p->f->steps[k].at == at ? (int32_t)k : -1;
}

static bool jumps(const struct step *s)
{
	return s->flow == FLOW_JUMP || s->flow == FLOW_BRANCH || s->flow == FLOW_SHORT;
}

/* Is part `from`, which is not in the list yet, a piece of this function and not one of its own? */
static bool jumps_back(const struct parts *p, const struct part *from)
{
	for (uint32_t k = from->first; k < from->first + from->n; k++) {
		const struct step *s = &p->f->steps[k];
		const struct part *to = jumps(s) ? part_of(p, s->target) : NULL;

		if (to && s->target != to->lo)
			return true;
	}
	return false;
}

/* Adds what the steps of a part jump to, if it is a piece of this function. */
static bool add_targets(struct parts *p, unsigned from)
{
	struct frame_function *f = p->f;
	struct module *m = (struct module *)(uintptr_t)f->module;

	for (uint32_t i = 0; i < p->list[from].n; i++) {
		const struct step *s = &f->steps[p->list[from].first + i];
		const struct function *to;
		struct part *new = &p->list[p->n];

		if (!jumps(s) || part_of(p, s->target) || in_plt(m, s->target))
			continue;
		to = module_function(m, s->target);
		if (!to || to->second || p->n == MAX_PARTS)
			return false;
		*new = (struct part){
			.lo = to->lo, .hi = to->hi, .of = to, .foreign = !to->fragment
		};
		if (!decode_part(f, new))
			return false;
		if (to->fragment || f->steps[new->first].at != s->target || jumps_back(p, new))
			p->n++;
		else
			f->n = new->first;
	}
	return true;
}

/* Where the calls in [lo, hi) go on if there is an exception. */
static void add_pad(void *parts, uint64_t lo, uint64_t hi, uint64_t pad)
{
	struct parts *p = parts;
	const struct part *part = part_of(p, lo);
	int32_t to = index_of(p, pad);

	p->bad |= !part || to < 0;
	if (p->bad)
		return;
	for (uint32_t k = step_behind(p->f, part, lo); k < part->first + part->n; k++) {
		struct step *s = &p->f->steps[k];

		if (s->at + s->length > hi)
			return;
		if (s->flow == FLOW_CALL || s->flow == FLOW_CALL_INDIRECT)
			s->pad_index = to;
	}
}

static void find_pads(struct parts *p)
{
	for (unsigned k = 0; k < p->n; k++)
		if (p->list[k].of->lsda && pushes_arguments(p->list[k].of))
			p->f->unwinds = true;
	for (unsigned k = 0; k < p->n && !p->f->unwinds; k++)
		if (p->list[k].of->lsda)
			each_landing_pad(p->f->module, p->list[k].of, add_pad, p);
}

/* Where control goes from the step. */
static bool find_target(struct parts *p, struct step *s)
{
	if (s->flow == FLOW_NEXT || s->flow == FLOW_RETURN || s->flow == FLOW_STOP)
		return true;
	if (s->flow == FLOW_CALL && part_of(p, s->target) && s->target != p->list[0].lo)
		return false;
	if (!jumps(s) || !part_of(p, s->target))
		return frame_call(p->f, s);
	s->target_index = index_of(p, s->target);
	return s->target_index >= 0;
}

bool frame_decode(struct frame_function *f, const struct function *of)
{
	struct parts p = { .f = f, .n = 1 };

	f->n = 0;
	f->unwinds = false;
	if (of->second || of->fragment)
		return false;
	p.list[0] = (struct part){ .lo = of->lo, .hi = of->hi, .of = of };
	if (!decode_part(f, &p.list[0]))
		return false;
	for (unsigned k = 0; k < p.n; k++)
		if (!add_targets(&p, k))
			return false;
	for (uint32_t k = 0; k < f->n; k++)
		if (!find_target(&p, &f->steps[k]))
			return false;
	find_pads(&p);
	return !p.bad;
}

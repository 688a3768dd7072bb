/* SPDX-License-Identifier: MIT
 *
 * The slots of a frame where the caller's values of callee-saved registers are kept.
 */
#include "frame.h"

/* The first place where a callee-saved register is put away is its slot. */
static void find_slots(struct frame_function *f)
{
	uint16_t found = 0;

	for (uint32_t k = 0; k < f->n && f->nslots < 6; k++) {
		const struct step *s = &f->steps[k];

		if (s->sp == NOT_REACHED || s->write.size != 8 ||
		    (s->effect != EFFECT_PUSH && s->effect != EFFECT_STORE) || s->from >= 16 ||
		    !(CALLEE_SAVED_REGISTERS >> s->from & 1) || found >> s->from & 1 ||
		    !(s->initial >> s->from & 1) || s->write.offset > -8)
			continue;
		found |= (uint16_t)(1u << s->from);
		f->slots[f->nslots].offset = s->write.offset;
		f->slots[f->nslots].pure = true;
		f->slots[f->nslots++].reg = s->from;
	}
}

static bool touches(const struct range *r, int32_t offset)
{
	return r->size && r->offset < offset + 8 && r->offset + (int64_t)r->size > offset;
}

static bool loads(const struct step *s)
{
	return s->effect == EFFECT_LOAD || s->effect == EFFECT_POP;
}

static void check_slots(struct frame_function *f)
{
	for (unsigned n = 0; n < f->nslots; n++) {
		int32_t at = f->slots[n].offset;
		uint8_t reg = f->slots[n].reg;

		for (uint32_t k = 0; k < f->n; k++) {
			const struct step *s = &f->steps[k];
			bool leaves = s->effect == EFFECT_LEAVE && reg == RBP;

			if (touches(&s->write, at) &&
			    !(s->write.offset == at && s->write.size == 8 && s->from == reg &&
			      (s->effect == EFFECT_PUSH || s->effect == EFFECT_STORE)))
				f->slots[n].pure = false;
			if (touches(&s->read, at) && !(s->read.offset == at && s->read.size == 8 &&
						       (leaves || (loads(s) && s->to == reg))))
				f->slots[n].pure = false;
		}
	}
}

/* After step k the slots in `saved` are in use: so they are before the step that comes then. */
static bool lower(struct frame_function *f, uint32_t k, uint8_t saved)
{
	uint8_t old = f->steps[k].saved;

	f->steps[k].saved &= saved;
	return f->steps[k].saved != old;
}

static bool lower_next(struct frame_function *f, uint32_t k, uint8_t saved)
{
	const struct step *s = &f->steps[k];
	bool changed = false;

	if (s->target_index >= 0)
		changed |= lower(f, (uint32_t)s->target_index, saved);
	if (s->pad_index >= 0)
		changed |= lower(f, (uint32_t)s->pad_index, saved);
	if (!s->last && (s->flow == FLOW_NEXT || s->flow == FLOW_BRANCH || s->flow == FLOW_SHORT ||
			 step_calls(s)))
		changed |= lower(f, k + 1, saved);
	for (uint32_t n = 0; step_switches(s) && n < f->n; n++)
		if (f->steps[n].seeded)
			changed |= lower(f, n, saved);
	return changed;
}

/* Where the registers are in their slots for certain. */
static void find_saved(struct frame_function *f)
{
	bool changed;

	for (uint32_t k = 0; k < f->n; k++)
		f->steps[k].saved = k ? 0xff : 0;
	do {
		changed = false;
		for (uint32_t k = 0; k < f->n; k++) {
			const struct step *s = &f->steps[k];
			uint8_t saved = s->saved;

			if (s->sp == NOT_REACHED)
				continue;
			for (unsigned n = 0; n < f->nslots; n++)
				if (s->write.size && s->write.offset == f->slots[n].offset &&
				    s->from == f->slots[n].reg)
					saved |= (uint8_t)(1u << n);
			changed |= lower_next(f, k, saved);
		}
	} while (changed);
}

void frame_slots(struct frame_function *f)
{
	f->nslots = 0;
	find_slots(f);
	check_slots(f);
	find_saved(f);
}

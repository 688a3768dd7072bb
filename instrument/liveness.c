/* SPDX-License-Identifier: MIT
 *
 * Which registers and flags may still be read after an instruction: two backward data flow analyses
 * in one pass.
 *
 * `needed` is what the code around a site must save before it uses it. No calling convention is
 * assumed: whatever leaves the function (a return, a call, a jump through a register or to
 * elsewhere, a trap) may read every register and every flag, so there everything is needed. Only
 * within the function is anything known: a register is not needed if on every way from here, by
 * branches whose targets are known, an instruction overwrites it as a whole before anything reads
 * it and before control leaves the function. That holds for any machine code, whoever wrote it, so
 * functions may return results in rcx, in flags or anywhere else, and rely on what their helpers
 * leave alone.
 *
 * `live` is what a spinning thread is compared by (runtime/spin.c). There, too much would do harm:
 * calls leave anything in registers that no compiler's code reads. So it follows the calling
 * convention, but for this: a caller that knows a function of its own file may rely on registers
 * that the function does not touch, so calls within the module kill nothing, and a register that a
 * function never writes is live at its end unless it calls something outside.
 */
#include "instrument.h"

#define ALL_REGISTERS 0xffffu
#define CALLEE_SAVED  (ALL_REGISTERS & ~CALLER_SAVED)
#define EVERYTHING    (ALL_REGISTERS | LIVE_FLAGS | LIVE_VECTORS)

static size_t index_of(const struct vector *insns, uint64_t at)
{
	size_t lo = 0, hi = insns->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (vector_at(insns, struct insn, mid)->at < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static uint32_t untouched(const struct vector *insns)
{
	uint32_t set = CALLER_SAVED;

	for (size_t k = 0; k < insns->n; k++) {
		const struct insn *i = vector_at(insns, struct insn, k);

		if (i->flow == FLOW_CALL_INDIRECT || (i->flow == FLOW_CALL && !i->outside))
			return 0;
		set &= ~i->def;
	}
	return set;
}

/* Looks up each target once. */
static void find_targets(struct module *m, const struct function *f, struct vector *insns)
{
	for (size_t k = 0; k < insns->n; k++) {
		struct insn *i = vector_at(insns, struct insn, k);
		const struct function *to;

		i->target_index = -1;
		if (!i->target)
			continue;
		if (i->flow != FLOW_CALL && i->target >= f->lo && i->target < f->hi) {
			i->target_index = (int32_t)index_of(insns, i->target);
			if ((size_t)i->target_index <= k)
				vector_at(insns, struct insn, (size_t)i->target_index)->loops = 1;
			continue;
		}
		to = module_function(m, i->target);
		if (i->flow == FLOW_CALL)
			i->outside = to != NULL;
		else
			i->outside = to && to->lo != i->target ? ALL_REGISTERS | LIVE_FLAGS
							       : ALL_REGISTERS;
	}
}

static uint32_t needed_at_end(const struct vector *insns, size_t k)
{
	const struct insn *i = vector_at(insns, struct insn, k);
	uint32_t next =
		k + 1 < insns->n ? vector_at(insns, struct insn, k + 1)->needed : EVERYTHING;
	uint32_t target = i->target_index >= 0
				  ? vector_at(insns, struct insn, i->target_index)->needed
				  : EVERYTHING;

	switch (i->flow) {
	case FLOW_NEXT:
		return next;
	case FLOW_JUMP:
		return target;
	case FLOW_BRANCH:
	case FLOW_SHORT:
		return target | next;
	default:
		return EVERYTHING;
	}
}

static uint32_t live_at_end(const struct vector *insns, size_t k, uint32_t kept)
{
	const struct insn *i = vector_at(insns, struct insn, k);
	uint32_t next = k + 1 < insns->n ? vector_at(insns, struct insn, k + 1)->live
					 : ALL_REGISTERS | LIVE_FLAGS;
	uint32_t target = i->target_index >= 0
				  ? vector_at(insns, struct insn, i->target_index)->live
				  : i->outside;

	switch (i->flow) {
	case FLOW_JUMP:
		return target;
	case FLOW_BRANCH:
	case FLOW_SHORT:
		return target | next;
	case FLOW_RETURN:
		return 1u << RAX | 1u << RDX | CALLEE_SAVED | kept;
	case FLOW_STOP:
		return CALLEE_SAVED;
	case FLOW_JUMP_INDIRECT:
		return ALL_REGISTERS | LIVE_FLAGS;
	case FLOW_CALL:
		if (i->outside) /* a function of the module */
			return next | ARGUMENT_REGISTERS;
		return (next & ~(CALLER_SAVED | LIVE_FLAGS | LIVE_VECTORS)) | ARGUMENT_REGISTERS;
	case FLOW_CALL_INDIRECT:
		return (next & ~(CALLER_SAVED | LIVE_FLAGS | LIVE_VECTORS)) | ARGUMENT_REGISTERS;
	default:
		return next;
	}
}

void liveness(struct module *m, const struct function *f, struct vector *insns)
{
	uint32_t kept;
	bool changed = true;

	find_targets(m, f, insns);
	kept = untouched(insns);
	while (changed) {
		changed = false;
		for (size_t k = insns->n; k-- > 0;) {
			struct insn *i = vector_at(insns, struct insn, k);
			uint32_t needed = (needed_at_end(insns, k) & ~i->def) | i->use;
			uint32_t live =
				(live_at_end(insns, k, kept) & ~i->def) | i->use | CALLEE_SAVED;

			/* Everybody else who looks at it comes later in this round. */
			changed |= i->loops && (live != i->live || needed != i->needed);
			i->live = live;
			i->needed = needed;
		}
	}
}

/* SPDX-License-Identifier: MIT
 *
 * A test of runtime/frame_view.h: at each step of a thread everything that is called dead is
 * overwritten. If it is dead, nothing changes but the time that the run takes
 * (LINCHPIN_TEST_POISON, tests/e2e/frames.bats).
 */
#include "../runtime/state.h"
#include "../runtime/share.h"
#include "event.h"
#include "load.h"

#define MOST_FRAMES 64

/* Something else each time. */
static uint64_t poison(uint64_t addr)
{
	return mix(addr, rt->progress);
}

static void poison_bytes(const struct fiber *f, uint64_t from, uint64_t size)
{
	for (uint64_t at = from; at < from + size; at++)
		if (!stack_is_shared(f, at, 1, false))
			*(volatile uint8_t *)at = (uint8_t)poison(at);
}

static bool in_stack(const struct fiber *f, uint64_t sp)
{
	return sp >= f->stack_lo && sp + 8 < f->stack_hi;
}

/* Where the register is put back from when the fiber goes on; NULL if it is not known here. */
static uint64_t *kept_at(bool site, unsigned reg)
{
	static const int8_t callee_saved[16] = {
		[RBX] = 5, [RBP] = 6, [12] = 4, [13] = 3, [14] = 2, [15] = 1
	};
	static const int8_t caller_saved[16] = {
		[RDX] = R_RDX, [RSI] = R_RSI, [RDI] = R_RDI, [8] = R_R8,
		[9] = R_R9,    [10] = R_R10,  [11] = R_R11,  [RCX] = R_RCX
	};

	if (callee_saved[reg])
		return rt->entry + callee_saved[reg];
	if (site && caller_saved[reg])
		return rt->entry - R_ENTRY + caller_saved[reg];
	return NULL;
}

void poison_dead(void)
{
	const struct fiber *f = rt->cur;
	const struct frame_view *v[MOST_FRAMES];
	uint64_t sp[MOST_FRAMES], pc = rt->entry[ENTRY_PC];
	bool site = rt->instr.full == rt->entry;
	uint32_t live = 0xffff;
	unsigned n;

	sp[0] = (uint64_t)(rt->entry + ENTRY_SP + (site ? RED_ZONE_WORDS : 0));
	for (n = 0; n < MOST_FRAMES && in_stack(f, sp[n]); n++) {
		v[n] = site && !n ? frame_view_before(pc) : frame_view_return(pc);
		if (!v[n] || n + 1 == MOST_FRAMES)
			break;
		pc = *(uint64_t *)(sp[n] + (uint64_t)v[n]->return_at);
		sp[n + 1] = sp[n] + (uint64_t)v[n]->return_at + 8;
	}
	while (n-- > 0) {
		for (unsigned k = 0; k < v[n]->nsaved; k++)
			if (!(live >> v[n]->saved[k].reg & 1))
				poison_bytes(f, sp[n] + (uint64_t)v[n]->saved[k].offset, 8);
		for (unsigned k = 0; k < v[n]->ndead; k++)
			poison_bytes(f, sp[n] + (uint64_t)v[n]->dead[k].offset, v[n]->dead[k].size);
		live = v[n]->live | (v[n]->passed & live);
	}
	for (unsigned reg = 0; reg < 16; reg++) {
		uint64_t *at = kept_at(site, reg);

		if (at && !(live >> reg & 1))
			*at = poison((uint64_t)at);
	}
}

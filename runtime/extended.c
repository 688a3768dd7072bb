/* SPDX-License-Identifier: MIT
 *
 * Vector and floating-point state of a fiber that stops in the middle of code: it is kept while
 * others run. Nearly always only xmm0..15 are in use, as the processor reports (XINUSE). These are
 * moved by plain instructions, in a tenth of the time of xsave and xrstor. If more is in use, or
 * the processor does not report it, everything is saved. What functions of libc leave in use is
 * nobody's once a fiber begins, or goes on in a call: then there is the initial state again. The control words and the
 * exceptions raised go with the stack (runtime/switch.S).
 *
 * A fiber that waits in a call, or has not begun, needs nothing back: the calling convention lets a
 * call leave anything in these registers. But it requires an empty x87 stack.
 */
#include "extended.h"
#include "memory.h"
#include "state.h"

#define X87    1u
#define SSE    2u
#define HALVES 0x44u /* the upper ones of ymm0..15 and zmm0..15; libc's functions leave others in use */
#define AVX    4u
#define ALL    0xe7u /* x87, SSE, AVX, the three of AVX-512 */
#define XMM    160   /* layout of an xsave area */
#define MXCSR  24
#define HEADER 512
#define AREA   8192 /* more than xsave needs */
#define X87_CONTROL 0x37f /* initial */
#define MXCSR_INITIAL 0x1f80
#define MXCSR_RAISED 0x3fu

static uint32_t mask; /* of ALL: what the system has enabled; 0: not known yet */
static bool xsaves, tells;
bool wide_vectors;

static uint32_t xgetbv(uint32_t index)
{
	uint32_t a, d;

	__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(index));
	return a;
}

static void find_mask(void)
{
	uint32_t a, b, c, d;

	mask = X87 | SSE;
	__asm__ volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(1), "c"(0));
	xsaves = c >> 27 & 1;
	if (!xsaves)
		return;
	mask = xgetbv(0) & ALL;
	__asm__ volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(13), "c"(1));
	tells = a >> 2 & 1;
}

void extended_find(void)
{
	if (!mask)
		find_mask();
	wide_vectors = mask & AVX;
}

static uint32_t now_in_use(void)
{
	return tells ? xgetbv(1) & mask : mask;
}

void vectors_copy(uint8_t *to)
{
	__asm__ volatile(
		"movups %%xmm0, 0(%0)\n\tmovups %%xmm1, 16(%0)\n\tmovups %%xmm2, 32(%0)\n\t"
		"movups %%xmm3, 48(%0)\n\tmovups %%xmm4, 64(%0)\n\tmovups %%xmm5, 80(%0)\n\t"
		"movups %%xmm6, 96(%0)\n\tmovups %%xmm7, 112(%0)\n\tmovups %%xmm8, 128(%0)\n\t"
		"movups %%xmm9, 144(%0)\n\tmovups %%xmm10, 160(%0)\n\tmovups %%xmm11, 176(%0)\n\t"
		"movups %%xmm12, 192(%0)\n\tmovups %%xmm13, 208(%0)\n\tmovups %%xmm14, 224(%0)\n\t"
		"movups %%xmm15, 240(%0)"
		:
		: "r"(to)
		: "memory");
}

/* By xmm0, as nothing else may be touched. */
bool vectors_are_zero(void)
{
	uint64_t kept[2], all[2];

	__asm__ volatile(
		"movups %%xmm0, %0\n\tpor %%xmm1, %%xmm0\n\tpor %%xmm2, %%xmm0\n\tpor %%xmm3, %%xmm0\n\t"
		"por %%xmm4, %%xmm0\n\tpor %%xmm5, %%xmm0\n\tpor %%xmm6, %%xmm0\n\tpor %%xmm7, %%xmm0\n\t"
		"por %%xmm8, %%xmm0\n\tpor %%xmm9, %%xmm0\n\tpor %%xmm10, %%xmm0\n\tpor %%xmm11, %%xmm0\n\t"
		"por %%xmm12, %%xmm0\n\tpor %%xmm13, %%xmm0\n\tpor %%xmm14, %%xmm0\n\tpor %%xmm15, %%xmm0\n\t"
		"movups %%xmm0, %1\n\tmovups %0, %%xmm0"
		: "=m"(kept), "=m"(all));
	return !(all[0] | all[1]);
}

static void vectors_load(const uint8_t *from)
{
	__asm__ volatile(
		"movups 0(%0), %%xmm0\n\tmovups 16(%0), %%xmm1\n\tmovups 32(%0), %%xmm2\n\t"
		"movups 48(%0), %%xmm3\n\tmovups 64(%0), %%xmm4\n\tmovups 80(%0), %%xmm5\n\t"
		"movups 96(%0), %%xmm6\n\tmovups 112(%0), %%xmm7\n\tmovups 128(%0), %%xmm8\n\t"
		"movups 144(%0), %%xmm9\n\tmovups 160(%0), %%xmm10\n\tmovups 176(%0), %%xmm11\n\t"
		"movups 192(%0), %%xmm12\n\tmovups 208(%0), %%xmm13\n\tmovups 224(%0), %%xmm14\n\t"
		"movups 240(%0), %%xmm15"
		:
		: "r"(from)
		: "memory");
}

static bool x87_is_empty(void)
{
	uint16_t environment[14]; /* the fifth: which registers are empty */

	__asm__ volatile("fnstenv %0\n\tfldenv %0" : "=m"(environment));
	return environment[4] == 0xffff;
}

bool extended_is_small(bool halves)
{
	uint32_t used = now_in_use();

	if (tells && halves && used & HALVES)
		return false;
	return !(used & X87) || x87_is_empty();
}

static void xsave(uint8_t *area)
{
	if (xsaves)
		__asm__ volatile("xsave64 (%0)" : : "r"(area), "a"(mask), "d"(0) : "memory");
	else
		__asm__ volatile("fxsave64 (%0)" : : "r"(area) : "memory");
}

static void xrstor(const uint8_t *area)
{
	if (xsaves)
		__asm__ volatile("xrstor64 (%0)" : : "r"(area), "a"(mask), "d"(0) : "memory");
	else
		__asm__ volatile("fxrstor64 (%0)" : : "r"(area) : "memory");
}

void extended_save(struct fiber *f)
{
	uint32_t used = now_in_use();

	rt->instr.in_use = (uint8_t)used;
	f->extended_whole = (used & ~SSE) != 0;
	if (f->extended_whole)
		xsave(f->extended);
	else
		vectors_copy(f->extended + XMM);
}

bool extended_kept(const struct fiber *f, uintptr_t *lo, uintptr_t *hi)
{
	if (f == rt->cur || f->state != FIBER_LIVE || !f->rounds.site)
		return false;
	*lo = (uintptr_t)f->extended + (f->extended_whole ? 0 : XMM);
	*hi = (uintptr_t)f->extended + (f->extended_whole ? AREA : XMM + 256);
	return true;
}

struct environment environment_now(void)
{
	struct environment e;

	__asm__ volatile("stmxcsr %0\n\tfnstcw %1\n\tfnstsw %2" : "=m"(e.mxcsr), "=m"(e.control), "=m"(e.status));
	return e;
}

void environment_clear(struct environment *e)
{
	e->mxcsr &= ~MXCSR_RAISED;
	e->status = 0;
}

/* Of an empty x87 stack. */
static void x87_set(const struct environment *e)
{
	const uint16_t all[14] = { e->control, 0xffff, e->status & X87_RAISED, 0xffff, 0xffff, 0xffff };

	__asm__ volatile("fldenv %0" : : "m"(all));
}

void environment_initial(void)
{
	const uint32_t mxcsr = MXCSR_INITIAL;

	__asm__ volatile("fninit\n\tldmxcsr %0" : : "m"(mxcsr));
}

void environment_set(struct environment e)
{
	x87_set(&e);
	__asm__ volatile("ldmxcsr %0" : : "m"(e.mxcsr));
}

/* xmm0..15 as they are in the area; all else but the floating-point environment in its initial state. */
static void restore_xmm_only(uint8_t *area)
{
	const struct environment e = environment_now();

	*(uint32_t *)(area + MXCSR) = e.mxcsr;
	zero(area + HEADER, 64);
	area[HEADER] = SSE;
	xrstor(area);
	if (e.control != X87_CONTROL || e.status & X87_RAISED) /* the unit would be in use */
		x87_set(&e);
}

void extended_restore(struct fiber *f)
{
	uint32_t used = rt->instr.in_use == EXTENDED_ASK ? now_in_use() : rt->instr.in_use;

	if (f->extended_whole)
		xrstor(f->extended);
	else if (used & ~SSE)
		restore_xmm_only(f->extended);
	else
		vectors_load(f->extended + XMM);
}

void extended_left_in_call(void)
{
	rt->instr.in_use = EXTENDED_ASK;
}

/* What is there is dead, but is compared where that is not known: it must not be what other threads,
 * or the runtime between executions, have left. */
static void vectors_zero(void)
{
	__asm__ volatile("pxor %xmm0, %xmm0\n\tpxor %xmm1, %xmm1\n\tpxor %xmm2, %xmm2\n\t"
			 "pxor %xmm3, %xmm3\n\tpxor %xmm4, %xmm4\n\tpxor %xmm5, %xmm5\n\t"
			 "pxor %xmm6, %xmm6\n\tpxor %xmm7, %xmm7\n\tpxor %xmm8, %xmm8\n\t"
			 "pxor %xmm9, %xmm9\n\tpxor %xmm10, %xmm10\n\tpxor %xmm11, %xmm11\n\t"
			 "pxor %xmm12, %xmm12\n\tpxor %xmm13, %xmm13\n\tpxor %xmm14, %xmm14\n\t"
			 "pxor %xmm15, %xmm15");
}

/* All is zero but the floating-point environment. */
static void all_initial(void)
{
	static _Alignas(64) uint8_t area[AREA];

	restore_xmm_only(area);
}

void extended_back_in_call(void)
{
	uint32_t used = rt->instr.in_use == EXTENDED_ASK && rt->instr.on && tells ? now_in_use() : rt->instr.in_use;

	if (UNLIKELY(used & mask & ~SSE))
		all_initial();
	else
		vectors_zero();
}

void extended_reset(struct fiber *f)
{
	if (!f->extended)
		f->extended = memory_get(AREA);
}

void extended_begin(void)
{
	extended_find();
	if (now_in_use() & ~SSE)
		all_initial();
	rt->instr.in_use = EXTENDED_ASK;
}

void extended_keep(uint8_t *area)
{
	extended_find();
	zero(area + HEADER, 64);
	xsave(area);
}

void extended_bring(const uint8_t *area)
{
	xrstor(area);
}

void extended_around(void (*function)(void *), void *argument)
{
	static _Alignas(64) uint8_t area[EXTENDED_AREA];

	extended_keep(area);
	function(argument);
	extended_bring(area);
}

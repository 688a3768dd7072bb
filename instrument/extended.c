/* SPDX-License-Identifier: MIT
 *
 * Vector and floating-point state of a fiber that stops at a site: kept while others run.
 */
#include "../runtime/rt.h"
#include "load.h"

static uint64_t extended_mask(void)
{
	static uint32_t mask;
	uint32_t a, b, c, d;

	if (mask)
		return mask;
	__asm__ volatile("cpuid" : "=a"(a), "=b"(b), "=c"(c), "=d"(d) : "a"(1), "c"(0));
	if (c >> 27 & 1) {
		__asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(0));
		mask = a & 0xe7;
	} else {
		mask = 1;
	}
	return mask;
}

void extended_save(struct fiber *f)
{
	uint64_t mask = extended_mask();

	if (mask > 1)
		__asm__ volatile("xsave64 (%0)"
				 :
				 : "r"(f->extended), "a"((uint32_t)mask), "d"(0)
				 : "memory");
	else
		__asm__ volatile("fxsave64 (%0)" : : "r"(f->extended) : "memory");
}

void extended_restore(struct fiber *f)
{
	uint64_t mask = extended_mask();

	if (mask > 1)
		__asm__ volatile("xrstor64 (%0)"
				 :
				 : "r"(f->extended), "a"((uint32_t)mask), "d"(0)
				 : "memory");
	else
		__asm__ volatile("fxrstor64 (%0)" : : "r"(f->extended) : "memory");
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

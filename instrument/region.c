/* SPDX-License-Identifier: MIT
 *
 * Where the copies of a module's functions are.
 */
#include "instrument.h"

#include <sys/mman.h>

#define REACH 0x7ff00000UL
#define GAP   0x4000000UL

/* NULL: something else is there. */
static uint8_t *region_at(uintptr_t at, size_t size)
{
	const long no_replace = 0x100000;
	long p = sys6(SYS_mmap, (long)at, (long)size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | no_replace, -1, 0);

	if (p == (long)at)
		return (uint8_t *)p;
	if (p > 0)
		sys2(SYS_munmap, p, size);
	return NULL;
}

/*
 * Near enough for relative operands, and at the same place in every run. Regions of several libraries
 * share a gap; each of them is large only while it is written.
 */
uint8_t *near_region(const struct module *m, size_t size)
{
	uintptr_t lo = m->base < m->lo ? m->base : m->lo;
	uintptr_t most = (REACH - (m->hi - m->lo) - size) / GAP;

	for (uintptr_t n = 1; n < most; n++) {
		/* A region that stays when the library goes: as far away as possible. The places
		 * near the library are for what other executions map. */
		uintptr_t first = (m->late ? most - n : n) * GAP, distance = first;

		do {
			uint8_t *region = NULL;

			if (lo > distance + size + 0x100000)
				region = region_at((lo - distance - size) & ~0xffffUL, size);
			if (!region)
				region = region_at(round_up(m->hi + distance, 0x10000), size);
			if (region)
				return region;
			distance += size;
		} while (distance + size <= first + GAP);
	}
	return NULL;
}

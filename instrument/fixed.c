/* SPDX-License-Identifier: MIT
 *
 * Memory of the libraries that nobody can write: reads there are no events.
 */
#include "instrument.h"

#define MAX_RANGES 4096 /* of more, reads are events */

static struct fixed {
	uintptr_t lo, hi;
	bool late;
} fixed_ranges[MAX_RANGES]; /* by address */
static unsigned nranges;
static uintptr_t gap_lo, gap_size; /* an address was asked for in there, and none is fixed; most are such */

/* How many ranges start at or below addr. */
static unsigned ranges_up_to(uintptr_t addr)
{
	unsigned lo = 0, hi = nranges;

	while (lo < hi) {
		unsigned mid = (lo + hi) / 2;

		if (fixed_ranges[mid].lo <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

void fixed_add(uintptr_t lo, uintptr_t hi, bool late)
{
	unsigned at = ranges_up_to(lo);

	if (lo >= hi || nranges == MAX_RANGES)
		return;
	for (unsigned i = nranges++; i > at; i--)
		fixed_ranges[i] = fixed_ranges[i - 1];
	fixed_ranges[at] = (struct fixed){ lo, hi, late };
	gap_size = 0;
}

void fixed_drop(uintptr_t lo, uintptr_t hi)
{
	unsigned n = 0;

	for (unsigned i = 0; i < nranges; i++) {
		const struct fixed *x = &fixed_ranges[i];

		if (!x->late || x->lo < lo || x->lo >= hi)
			fixed_ranges[n++] = *x;
	}
	nranges = n;
	gap_size = 0;
}

bool read_only_memory(uint64_t addr)
{
	unsigned n;

	if (LIKELY(addr - gap_lo < gap_size))
		return false;
	n = ranges_up_to(addr);
	if (n && addr < fixed_ranges[n - 1].hi)
		return true;
	gap_lo = n ? fixed_ranges[n - 1].hi : 0;
	gap_size = (n < nranges ? fixed_ranges[n].lo : UINTPTR_MAX) - gap_lo;
	return false;
}

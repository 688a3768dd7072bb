/* SPDX-License-Identifier: MIT
 *
 * Sorting of time stamps. Recorded histories are nearly in order: an element is out of place by the
 * few operations that ran at the same time, so insertion is linear. Where it turns out not to be, a
 * radix sort takes over.
 */
#include "lin/problem.h"

#include <stdlib.h>
#include <string.h>

/* Stable. Gives up and returns the number of elements in order when more than `budget` moves were
 * needed. */
static uint32_t insertion(struct time_key *keys, uint32_t n, uint64_t budget)
{
	for (uint32_t i = 1; i < n; i++) {
		struct time_key key = keys[i];
		uint32_t j = i;

		for (; j && keys[j - 1].time > key.time; j--)
			keys[j] = keys[j - 1];
		keys[j] = key;
		if (budget < i - j)
			return i + 1;
		budget -= i - j;
	}
	return n;
}

/* Least significant byte first; bytes that are the same everywhere are skipped. */
static void radix(struct time_key *keys, uint32_t n)
{
	struct time_key *other = xreallocarray(NULL, n, sizeof *other), *from = keys, *to = other;

	for (int shift = 0; shift < 64; shift += 8) {
		uint32_t start[257] = { 0 };

		for (uint32_t i = 0; i < n; i++)
			start[1 + (((uint64_t)from[i].time ^ 1ULL << 63) >> shift & 255)]++;
		if (start[1 + (((uint64_t)from[0].time ^ 1ULL << 63) >> shift & 255)] == n)
			continue;
		for (int i = 0; i < 256; i++)
			start[i + 1] += start[i];
		for (uint32_t i = 0; i < n; i++)
			to[start[((uint64_t)from[i].time ^ 1ULL << 63) >> shift & 255]++] = from[i];
		to = from;
		from = from == keys ? other : keys;
	}
	if (from != keys)
		memcpy(keys, from, n * sizeof *keys);
	free(other);
}

/*
 * Insertion moves elements over larger ones only, so what it leaves behind when it gives up still
 * has equal times in their first order.
 */
void sort_times(struct time_key *keys, uint32_t n)
{
	if (n && insertion(keys, n, 8 * (uint64_t)n) < n)
		radix(keys, n);
}

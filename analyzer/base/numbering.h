/* SPDX-License-Identifier: MIT
 *
 * Numbers byte strings: equal keys get equal numbers, from 0 in the order of their first
 * appearance. What belongs to a key is kept by the user in an array indexed by its number.
 */
#ifndef LINCHPIN_BASE_NUMBERING_H
#define LINCHPIN_BASE_NUMBERING_H

#include "base/util.h"

struct numbering {
	uint32_t *slots; /* number + 1, 0 free */
	uint32_t nslots; /* a power of two, or 0 */
	struct numbering_key {
		uint64_t hash;
		size_t start, size;
	} * keys;
	uint32_t n, keys_capacity;
	unsigned char *bytes;
	size_t used, bytes_capacity;
};

/* The number of a key (zero-initialise *m first). *added says whether it is new. */
uint32_t numbering_add(struct numbering *m, const void *key, size_t size, bool *added);
void numbering_free(struct numbering *m);

#endif

/* SPDX-License-Identifier: MIT
 *
 * Sums that tell contents of memory apart, in any order. That two different contents have the same one is
 * less likely than that the memory of the computer fails: each word is multiplied twice with all of its
 * place, so that what one word adds tells nothing of what another one would have to.
 *
 * While words are kept (--audit), whatever goes into a sum is also listed.
 */
#ifndef LP_WORDS_H
#define LP_WORDS_H

#include "base.h"
#include "event.h"

/* Of a whole state. */
struct state_sum {
	uint64_t a, b;
};

struct words {
	uint64_t second; /* of all since words_begin(), beside what is returned */
	uint64_t (*list)[2];
	uint32_t n, capacity;
	bool kept;
};
extern struct words words;

void words_begin(void);
void words_keep(uint64_t at, uint64_t now);

static inline uint64_t fold(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t)a * b;

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* What mix() gives is alike for what is alike, so that sums of it may be the same by what the summands have in common:
 * it is scattered first. */
static inline uint64_t scatter(uint64_t h)
{
	h = (h ^ h >> 32) * 0xff51afd7ed558ccdULL;
	h = (h ^ h >> 29) * 0xc4ceb9fe1a85ec53ULL;
	return h ^ h >> 32;
}

/* One word, that is at this place or has this name. */
static inline uint64_t hash_word(uint64_t at, uint64_t now)
{
	uint64_t x = fold(at ^ 0x9e3779b97f4a7c15ULL, now ^ 0xd1342543de82ef95ULL) ^ now;

	if (UNLIKELY(words.kept))
		words_keep(at, now);
	words.second += fold(x ^ 0xff51afd7ed558ccdULL, at + 0xbf58476d1ce4e5b9ULL);
	return fold(x ^ 0x94d049bb133111ebULL, at ^ 0xc4ceb9fe1a85ec53ULL);
}

/* A number that is a part of the state, where the order says which. */
static inline uint64_t hash_part(uint64_t h, uint64_t part)
{
	if (UNLIKELY(words.kept))
		words_keep(0, part);
	return mix(h, part);
}

/* A summand for a step and what happens before it: the same in all executions that differ in the order of independent
 * steps. */
uint64_t hash_step(const struct event *e, const uint32_t *clock);

/* The words of [lo, hi) that differ from those at `from`; NULL: from zero. */
uint64_t hash_words(uintptr_t lo, uintptr_t hi, const uint8_t *from);

#endif

/* SPDX-License-Identifier: MIT */
#include "words.h"
#include "fiber.h"
#include "memory.h"
#include "modules.h"
#include "state.h"

#define STRIDE 8 /* words that are compared at once: most are as they were */

struct words words;

void words_begin(void)
{
	words.second = 0;
	words.n = 0;
}

void words_keep(uint64_t at, uint64_t now)
{
	if (!words.capacity) {
		words.capacity = 1 << 12;
		words.list = memory_get(words.capacity * sizeof *words.list);
	}
	if (words.n == words.capacity)
		words.list = memory_twice(words.list, &words.capacity, sizeof *words.list);
	words.list[words.n][0] = at;
	words.list[words.n++][1] = now;
}

/* The same in all processes of a search in parts. */
static uint64_t settled_address(uint64_t address)
{
	uint64_t offset;
	int32_t module = module_find(address, &offset);
	const struct fiber *owner = module < 0 ? fiber_by_tls(address, &offset) : NULL;

	if (module < 0 && !owner)
		return address;
	return mix(owner ? ~(uint64_t)owner->id : (uint64_t)module, offset);
}

uint64_t hash_step(const struct event *e, const uint32_t *clock)
{
	uint64_t address = UNLIKELY(rt->random) ? settled_address(e->addr) : e->addr,
		 h = mix(mix(e->kind | e->access << 8, address), (uint64_t)e->thread << 32 | e->size);

	if (e->kind == LP_EV_EXIT_ALL && !e->pc) /* by the thread that happened to end last */
		return scatter(e->kind);
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (clock[i])
			h = mix(h, clock[i] + ((uint64_t)i << 32));
	return scatter(h);
}

static bool differs(const uint64_t *now, const uint64_t *before)
{
	uint64_t any = 0;

	for (unsigned i = 0; i < STRIDE; i++)
		any |= now[i] ^ before[i];
	return any != 0;
}

uint64_t hash_words(uintptr_t lo, uintptr_t hi, const uint8_t *from)
{
	static const uint64_t zeroes[STRIDE];
	uint64_t sum = 0;
	uintptr_t at = lo;

	while (at + 8 <= hi) {
		uintptr_t end = at + 8 * STRIDE <= hi ? at + 8 * STRIDE : at + 8;
		const uint64_t *before = from ? (const uint64_t *)(from + (at - lo)) : zeroes;

		if (end - at == 8 || differs((const uint64_t *)at, before)) {
			for (; at < end; at += 8, before++)
				if (*(const uint64_t *)at != *before)
					sum += hash_word(at, *(const uint64_t *)at);
		}
		at = end;
	}
	for (; at < hi; at++)
		if (*(const uint8_t *)at != (from ? from[at - lo] : 0))
			sum += hash_word(at, *(const uint8_t *)at);
	return sum;
}

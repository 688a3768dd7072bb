/* SPDX-License-Identifier: MIT */
#include "client/draw.h"

#include <string.h>

#define TRIES 200

/* Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014. */
static uint64_t draw(uint64_t *seed)
{
	uint64_t z = *seed += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

static unsigned below(uint64_t *seed, unsigned n)
{
	return (unsigned)(draw(seed) % n);
}

/* First the operation, then its values: one with many values is no more frequent. */
static uint16_t draw_symbol(const struct alphabet *a, uint64_t *seed)
{
	unsigned ops = 0, first = 0, n = 0, op;

	for (uint32_t i = 0; i < a->nsymbols; i++)
		ops += !i || a->symbols[i].op != a->symbols[i - 1].op;
	op = below(seed, ops) + 1;
	for (uint32_t i = 0; i < a->nsymbols; i++) {
		if (!i || a->symbols[i].op != a->symbols[i - 1].op) {
			op--;
			first = op ? first : i;
		}
		n += !op;
	}
	return (uint16_t)(first + below(seed, n));
}

static void draw_shape(const struct enumerate_bounds *b, unsigned size, uint64_t *seed,
		       struct client *c)
{
	unsigned left;

	memset(c, 0, sizeof *c);
	c->nthreads = (uint8_t)(2 + (b->threads > 2 && !below(seed, 3) ? below(seed, b->threads - 1)
								       : 0));
	left = size - c->nthreads;
	for (unsigned t = 0; t < c->nthreads; t++) {
		unsigned most = b->operations - 1 < left ? b->operations - 1 : left;

		c->n[t] = (uint8_t)(1 + below(seed, most + 1));
		left -= c->n[t] - 1U;
	}
	c->nbefore = (uint8_t)below(seed, (b->before < left ? b->before : left) + 1);
}

bool draw_client(const struct alphabet *a, const struct enumerate_bounds *bounds, unsigned size,
		 struct sequential *s, uint64_t *seed, struct client *c)
{
	struct sequential_answer answer;

	for (unsigned i = 0; i < TRIES && size >= 2; i++) {
		draw_shape(bounds, size, seed, c);
		if (c->nthreads > size)
			continue;
		for (unsigned k = 0; k < client_size(c); k++)
			c->symbols[k] = draw_symbol(a, seed);
		if (!client_singles_kept(a, c))
			continue;
		if (!s)
			return true;
		sequential_run(s, c, &answer);
		if (answer.before && answer.moves && !answer.stuck && answer.conflicts)
			return true;
	}
	return false;
}

/* SPDX-License-Identifier: MIT */
#include "run/places.h"

#include <stdlib.h>
#include <string.h>

/* What is kept takes half a megabyte; counted in pieces, of which a place takes as much room as these. */
#define MOST_ROOM (1U << 15)
#define PLACE	  4

void places_begin(struct places *p, uint64_t start)
{
	*p = (struct places){ .start = start, .here.next = start, .distance = 1 };
}

void places_free(struct places *p)
{
	for (uint32_t i = 0; i < p->n; i++)
		free(p->kept[i].chain);
	free(p->kept);
	free(p->here.chain);
}

static void copy_place(struct place *to, const struct place *from)
{
	struct piece *chain = to->chain;
	uint32_t capacity = to->capacity;

	if (capacity < from->nchain) {
		capacity = from->nchain;
		chain = xreallocarray(chain, capacity, sizeof *chain);
	}
	if (from->nchain)
		memcpy(chain, from->chain, from->nchain * sizeof *chain);
	*to = *from;
	to->chain = chain;
	to->capacity = capacity;
}

void places_go(struct places *p, uint64_t number)
{
	const uint32_t here = p->here.class;
	uint64_t i = number / p->distance;

	if (number == here || number == here + 1ULL)
		return;
	i = i < p->n ? i : p->n;
	if (number > here && i * p->distance <= here)
		return;
	if (i) {
		copy_place(&p->here, &p->kept[i - 1]);
	} else {
		p->here.next = p->start;
		p->here.class = p->here.total = p->here.nchain = 0;
	}
}

void places_pass(struct places *p, uint32_t keep, uint32_t total)
{
	struct place *h = &p->here;

	while (h->nchain && h->chain[h->nchain - 1].keep >= keep)
		h->nchain--;
	VEC_GROW(h->chain, h->nchain, h->capacity);
	h->chain[h->nchain++] = (struct piece){ h->next, ++h->class, keep };
	h->total = total;
}

static uint32_t room(const struct place *p)
{
	return PLACE + p->nchain;
}

/* Leaves out every other one. */
static void double_distance(struct places *p)
{
	for (uint32_t i = 0; i < p->n; i++) {
		if (i % 2) {
			p->kept[i / 2] = p->kept[i];
			continue;
		}
		p->room -= room(&p->kept[i]);
		free(p->kept[i].chain);
	}
	p->n /= 2;
	p->distance *= 2;
}

void places_keep(struct places *p)
{
	if (p->here.class % p->distance)
		return;
	VEC_GROW(p->kept, p->n, p->capacity);
	p->kept[p->n] = (struct place){ 0 };
	copy_place(&p->kept[p->n++], &p->here);
	p->room += room(&p->here);
	while (p->room > MOST_ROOM)
		double_distance(p);
}

/* SPDX-License-Identifier: MIT */
#include "repair/blocks.h"

#include <stdlib.h>
#include <string.h>

static int compare_text(const char *a, const char *b)
{
	return a == b ? 0 : strcmp(a, b);
}

static int compare_place(const struct block *a, const struct block *b)
{
	int order = compare_text(a->file, b->file);

	return order ? order : compare_text(a->function, b->function);
}

bool block_inside(const struct block *inner, const struct block *outer)
{
	return outer->first <= inner->first && inner->last <= outer->last &&
	       !compare_place(inner, outer);
}

void repair_init(struct repair *r)
{
	memset(r, 0, sizeof *r);
}

void repair_free(struct repair *r)
{
	free(r->blocks);
	repair_init(r);
}

void repair_copy(struct repair *to, const struct repair *from)
{
	to->nblocks = from->nblocks;
	to->blocks = xmalloc(from->nblocks * sizeof *to->blocks);
	for (uint32_t i = 0; i < from->nblocks; i++)
		to->blocks[i] = from->blocks[i];
}

void repair_add(struct repair *r, const struct block *b)
{
	struct block merged = *b;
	uint32_t n = 0, at;

	/* Kept blocks are disjoint, so one pass finds all that the new one touches only if it does
	 * not grow meanwhile; but what it grows by was covered by one block, which touches no
	 * other. */
	for (uint32_t i = 0; i < r->nblocks; i++) {
		const struct block *old = &r->blocks[i];

		if (compare_place(old, b) || old->last < b->first || old->first > b->last) {
			r->blocks[n++] = *old;
			continue;
		}
		if (old->first < merged.first)
			merged.first = old->first;
		if (old->last > merged.last)
			merged.last = old->last;
	}
	r->blocks = xreallocarray(r->blocks, n + 1, sizeof *r->blocks);
	for (at = n; at > 0; at--) {
		const struct block *before = &r->blocks[at - 1];
		int order = compare_place(before, &merged);

		if (order < 0 || (!order && before->first < merged.first))
			break;
		r->blocks[at] = *before;
	}
	r->blocks[at] = merged;
	r->nblocks = n + 1;
}

void repair_unite(struct repair *r, const struct repair *from)
{
	for (uint32_t i = 0; i < from->nblocks; i++)
		repair_add(r, &from->blocks[i]);
}

bool repair_subsumes(const struct repair *a, const struct repair *b)
{
	for (uint32_t i = 0; i < b->nblocks; i++) {
		uint32_t j = 0;

		while (j < a->nblocks && !block_inside(&b->blocks[i], &a->blocks[j]))
			j++;
		if (j == a->nblocks)
			return false;
	}
	return true;
}

uint32_t repair_lines(const struct repair *r)
{
	uint32_t lines = 0;

	for (uint32_t i = 0; i < r->nblocks; i++)
		lines += r->blocks[i].last - r->blocks[i].first + 1;
	return lines;
}

int repair_compare(const struct repair *a, const struct repair *b)
{
	uint32_t x = repair_lines(a), y = repair_lines(b);

	if (x != y)
		return x < y ? -1 : 1;
	if (a->nblocks != b->nblocks)
		return a->nblocks < b->nblocks ? -1 : 1;
	for (uint32_t i = 0; i < a->nblocks; i++) {
		const struct block *p = &a->blocks[i], *q = &b->blocks[i];
		int order = compare_place(p, q);

		if (order)
			return order;
		if (p->first != q->first)
			return p->first < q->first ? -1 : 1;
		if (p->last != q->last)
			return p->last < q->last ? -1 : 1;
	}
	return 0;
}

bool repair_equal(const struct repair *a, const struct repair *b)
{
	return !repair_compare(a, b);
}

/* SPDX-License-Identifier: MIT */
#include "contended.h"
#include "../memory.h"

#define LINE       64u /* memory is touched by several threads, or not, in pieces of this size */
#define FIRST_SIZE 1024u

uint32_t table_place(const struct table *t, uint64_t key)
{
	uint32_t i = (uint32_t)(mix(0, key) >> 20) & t->mask;

	while (t->keys[i] && t->keys[i] != key)
		i = (i + 1) & t->mask;
	return i;
}

static void make(struct table *t, uint32_t size)
{
	t->keys = memory_get(size * sizeof *t->keys);
	t->numbers = memory_get(size * sizeof *t->numbers);
	t->mask = size - 1;
}

void table_make(struct table *t)
{
	make(t, FIRST_SIZE);
}

void table_add(struct table *t, uint64_t key, uint32_t number)
{
	struct table old = *t;
	uint32_t i;

	if (++t->used * 2 > t->mask) {
		make(t, (old.mask + 1) * 4);
		for (uint32_t k = 0; k <= old.mask; k++)
			if (old.keys[k]) {
				i = table_place(t, old.keys[k]);
				t->keys[i] = old.keys[k];
				t->numbers[i] = old.numbers[k];
			}
	}
	i = table_place(t, key);
	t->keys[i] = key;
	t->numbers[i] = number;
}

void contend(struct contended *c, uint64_t lo, uint64_t hi)
{
	struct table *t = &c->lines;

	for (uint64_t line = lo / LINE; line * LINE < hi; line++) {
		uint32_t i = table_place(t, line + 1);

		if (t->keys[i])
			continue;
		table_add(t, line + 1, 0);
		c->grown = true;
	}
}

bool is_contended(const struct contended *c, const struct pending *p)
{
	const struct table *t = &c->lines;
	uint64_t size = p->size ? p->size : 1;

	if (UNLIKELY(p->own)) /* others may send something before it, or it may look for that */
		return true;
	if (!t->used)
		return false;
	if (p->addr2 && t->keys[table_place(t, p->addr2 / LINE + 1)])
		return true;
	for (uint64_t line = p->addr / LINE; line * LINE < p->addr + size; line++)
		if (t->keys[table_place(t, line + 1)])
			return true;
	return false;
}

void contend_common(struct contended *c, const struct event *a, const struct event *b)
{
	uint64_t lo = a->addr > b->addr ? a->addr : b->addr;
	uint64_t a_hi = a->addr + a->size, b_hi = b->addr + b->size;
	uint64_t hi = a_hi < b_hi ? a_hi : b_hi;

	if (lo < hi)
		contend(c, lo, hi);
	/* Who may take something looks where it is sent, whatever its step is about. */
	if (UNLIKELY(b->reads_own))
		contend(c, a->addr, a_hi);
	if (UNLIKELY(a->reads_own))
		contend(c, b->addr, b_hi);
	if (a->addr2)
		contend(c, a->addr2, a->addr2 + 1);
	if (b->addr2)
		contend(c, b->addr2, b->addr2 + 1);
}

void contend_waiting(struct contended *c)
{
	for (uint64_t b = rt->blocked; b; b &= b - 1) {
		const struct pending *p = &rt->fibers[__builtin_ctzll(b)].pending;

		if (p->wait != WAIT_JOIN)
			contend(c, p->addr, p->addr + 1);
	}
}

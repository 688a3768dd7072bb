/* SPDX-License-Identifier: MIT */
#include "touched.h"
#include "../objects.h"

#define WORD	8u
#define MOST	(64u << 10) /* bytes of one step that are noted */

enum { OWNER = 0xff, CHANGED = 0x100, SEVERAL = 0x200 };

void touched_make(struct touched *t)
{
	table_make(&t->words);
}

static bool shared(uint32_t by)
{
	return (by & (CHANGED | SEVERAL)) == (CHANGED | SEVERAL);
}

static uint32_t by_whom(uint32_t by, unsigned thread, bool changes)
{
	if (!by)
		by = thread + 1;
	else if ((by & OWNER) != thread + 1)
		by |= SEVERAL;
	return changes ? by | CHANGED : by;
}

static void touch(struct touched *t, uint64_t addr, uint64_t size, unsigned thread, bool changes)
{
	if (t->all)
		return;
	if (size > MOST) {
		t->all = t->grown = true;
		return;
	}
	for (uint64_t word = addr / WORD; word * WORD < addr + size; word++) {
		uint32_t i = table_place(&t->words, word + 1), before;

		if (!t->words.keys[i]) {
			table_add(&t->words, word + 1, by_whom(0, thread, changes));
			continue;
		}
		before = t->words.numbers[i];
		t->words.numbers[i] = by_whom(before, thread, changes);
		t->grown |= shared(t->words.numbers[i]) && !shared(before);
	}
}

void touched_step(struct touched *t, const struct event *e)
{
	struct part parts[MAX_PARTS];
	unsigned n = event_parts(e, parts);

	for (unsigned i = 0; i < n; i++)
		touch(t, parts[i].addr, parts[i].size, e->thread, parts[i].access != LP_READS);
}

void touched_announced(struct touched *t, const struct fiber *f)
{
	const struct pending *p = &f->pending;
	struct event e = { .kind = p->kind, .flags = p->flags, .thread = f->id, .addr = p->addr };

	if (p->wait == WAIT_JOIN)
		return;
	e.addr2 = p->addr2;
	e.size = p->size ? p->size : 1;
	e.reads_own = p->own;
	e.access = (uint8_t)lp_kind_access(p->kind);
	touched_step(t, &e);
}

void touched_ends(struct touched *t)
{
	t->grown |= !t->all;
	t->all = true;
}

static bool is_shared(const struct touched *t, uint64_t addr, uint64_t size)
{
	if (size > MOST)
		return true;
	for (uint64_t word = addr / WORD; word * WORD < addr + size; word++) {
		uint32_t i = table_place(&t->words, word + 1);

		if (t->words.keys[i] && shared(t->words.numbers[i]))
			return true;
	}
	return false;
}

bool touched_quiet(const struct touched *t, const struct pending *p)
{
	if (t->all || p->own || p->kind == LP_EV_EXIT_ALL)
		return false;
	if (lp_kind_access(p->kind) == LP_TOUCHES_NOT)
		return true;
	if (p->flags & LP_SITE_FUTEX && lp_futex_kind(p->kind) &&
	    (is_shared(t, lp_futex_queue(p->addr), 1) || (p->addr2 && is_shared(t, lp_futex_queue(p->addr2), 1))))
		return false;
	return !is_shared(t, p->addr, p->size ? p->size : 1) && !(p->addr2 && is_shared(t, p->addr2, 1));
}

/* SPDX-License-Identifier: MIT
 *
 * Memory that constructors have mapped. What can be written there when main begins is part of the
 * checkpoint. It stays mapped in all executions: one that unmaps it, or takes rights from it, is told
 * that it did, and a note says so. Rights that an execution adds (an allocator that reserves memory in
 * a constructor and uses it later) are taken back at its end, and what is in that memory with them.
 */
#include "../runtime/checkpoint.h"
#include "../runtime/unseen.h"
#include "interpose.h"

#include <sys/mman.h>

#define MAX_EARLY  256
#define MAX_RAISED 256

static struct early {
	uintptr_t lo, hi;
	int protection;
	bool zeroes; /* private and anonymous: what is dropped reads as zeroes */
	bool file;   /* others have it as well */
} list[MAX_EARLY];
static unsigned n;
static bool begun, lost, files;

static struct raised {
	uintptr_t lo, hi;
	int protection; /* to go back to */
} raised[MAX_RAISED];
static unsigned nraised;

static void add(struct early e)
{
	if (e.lo >= e.hi)
		return;
	if (n == MAX_EARLY)
		lost = true;
	else
		list[n++] = e;
}

/* [lo, hi) is no more. */
static void cut(uintptr_t lo, uintptr_t hi)
{
	for (unsigned i = n; i-- > 0;) {
		struct early e = list[i], left = e, right = e;

		if (e.lo >= hi || e.hi <= lo)
			continue;
		list[i] = list[--n];
		left.hi = lo < e.hi ? lo : e.hi;
		right.lo = hi > e.lo ? hi : e.lo;
		add(left);
		add(right);
	}
}

void early_mapped(uintptr_t lo, size_t size, int protection, int flags)
{
	struct early e = { lo, lo + round_up(size, PAGE), protection, false, false };

	if (begun)
		return;
	e.zeroes = flags & MAP_ANONYMOUS && !(flags & MAP_SHARED);
	e.file = !(flags & MAP_ANONYMOUS) && flags & MAP_SHARED;
	cut(e.lo, e.hi);
	add(e);
}

void early_unmapped(uintptr_t lo, size_t size)
{
	if (!begun)
		cut(lo, lo + round_up(size, PAGE));
}

void early_protected(uintptr_t lo, size_t size, int protection)
{
	uintptr_t hi = lo + round_up(size, PAGE);

	for (unsigned i = n; i-- > 0 && !begun;) {
		struct early e = list[i];

		if (e.lo >= hi || e.hi <= lo)
			continue;
		if (e.lo < lo)
			e.lo = lo;
		if (e.hi > hi)
			e.hi = hi;
		e.protection = protection;
		cut(e.lo, e.hi);
		add(e);
	}
}

void early_checkpoint(void)
{
	begun = true;
	for (unsigned i = 0; i < n; i++) {
		const struct early *e = &list[i];

		if (!(e->protection & PROT_WRITE))
			continue;
		if (e->file)
			files = true;
		else
			checkpoint_add_mapping(e->lo, e->hi, e->zeroes);
	}
}

void early_limits(void)
{
	if (UNLIKELY(lost))
		unseen("constructors make more mappings than are kept track of: what is in some is "
		       "not taken back",
		       NULL);
	if (UNLIKELY(files))
		unseen("a constructor maps a file that others have as well: what is written there "
		       "is "
		       "not taken back",
		       NULL);
}

bool early_any(uintptr_t lo, size_t size)
{
	for (unsigned i = 0; i < n && begun; i++)
		if (list[i].lo < lo + size && list[i].hi > lo)
			return true;
	return false;
}

/* The rights of a part of one mapping grow. */
static long raise_rights(const struct early *e, uintptr_t lo, uintptr_t hi, int protection)
{
	if (nraised == MAX_RAISED || !e->zeroes) {
		unseen("the rights of memory that a constructor has mapped are changed, and that "
		       "is "
		       "not taken back",
		       NULL);
	} else {
		raised[nraised++] = (struct raised){ lo, hi, e->protection };
	}
	return sys3(SYS_mprotect, lo, hi - lo, protection);
}

long early_change(uintptr_t lo, size_t size, int protection, bool anew)
{
	uintptr_t hi = lo + round_up(size, PAGE);
	long r = 0;

	for (unsigned i = 0; i < n; i++) {
		const struct early *e = &list[i];
		uintptr_t from = e->lo > lo ? e->lo : lo, to = e->hi < hi ? e->hi : hi;

		if (from >= to)
			continue;
		if (anew && e->zeroes)
			sys3(SYS_madvise, from, to - from, MADV_DONTNEED);
		if (e->protection & ~protection || (anew && !e->zeroes))
			unseen("memory that a constructor has mapped is unmapped or protected in "
			       "an "
			       "execution: it stays as it is, and accesses to it are not crashes",
			       NULL);
		if (protection & ~e->protection && r >= 0)
			r = raise_rights(e, from, to, protection | e->protection);
	}
	return r;
}

bool early_changed(void)
{
	return nraised;
}

void early_rollback(void)
{
	while (nraised) {
		const struct raised *r = &raised[--nraised];

		sys3(SYS_mprotect, r->lo, r->hi - r->lo, r->protection);
		/* What could be written before is part of the checkpoint. */
		if (!(r->protection & PROT_WRITE))
			sys3(SYS_madvise, r->lo, r->hi - r->lo, MADV_DONTNEED);
	}
}

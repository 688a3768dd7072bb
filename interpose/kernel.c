/* SPDX-License-Identifier: MIT
 *
 * State that an execution leaves in the kernel and that can be taken back; more of it is in
 * changes.h. Descriptors that it
 * opened are closed at its end. Mappings that it made are removed: those of mmap are remembered;
 * those of the loader, and of libc during a call of the loader, are found as the mappings that did
 * not exist before. Mappings that existed before stay (early_mappings.c).
 */
#include "../runtime/maps.h"
#include "../runtime/trace.h"
#include "../runtime/unseen.h"
#include "changes.h"
#include "interpose.h"

#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>

#define MAX_MAPPINGS 256
#define MAX_KEPT     4096

static struct mapping {
	uintptr_t lo, hi;
} mappings[MAX_MAPPINGS];
static unsigned nmappings;

void kernel_checkpoint(void)
{
	nmappings = 0;
	rt->opened = 0;
	kernel_mappings();
	inherited_checkpoint();
	files_checkpoint();
}

/* What is mapped outside executions, in order. */
static struct mapping kept[MAX_KEPT];
static unsigned nkept;

void mapping_keep(uintptr_t lo, uintptr_t hi)
{
	unsigned i = nkept;

	if (nkept == MAX_KEPT)
		die("more than %u mappings", (unsigned long)MAX_KEPT);
	for (; i && kept[i - 1].lo > lo; i--)
		kept[i] = kept[i - 1];
	kept[i] = (struct mapping){ lo, hi };
	nkept++;
}

static void keep(uintptr_t lo, uintptr_t hi, const char *rest)
{
	(void)rest;
	mapping_keep(lo, hi);
}

void kernel_mappings(void)
{
	if (rt->config.fork)
		return;
	nkept = 0;
	maps_each(keep);
}

/* Only where libraries are mapped; other places hold only mappings of the runtime. */
static void sweep(uintptr_t lo, uintptr_t hi, const char *rest)
{
	if (lo < LIBRARIES)
		return;
	for (; *rest != '\n' && *rest != '/'; rest++)
		if (*rest == '[') /* the real stack, which may have grown */
			return;
	for (unsigned i = 0; i < nkept && lo < hi; i++) {
		const struct mapping *k = &kept[i];

		if (k->hi <= lo)
			continue;
		if (k->lo >= hi)
			break;
		if (k->lo > lo)
			sys2(SYS_munmap, lo, k->lo - lo);
		lo = k->hi;
	}
	if (lo < hi)
		sys2(SYS_munmap, lo, hi - lo);
}

bool kernel_mapped(void)
{
	return rt->loaded || nmappings || early_changed();
}

bool kernel_changed(void)
{
	return rt->opened || kernel_mapped() || signals_changed() ||
	       inherited_changed() || files_changed() || attributes_changed();
}

void kernel_rollback(void)
{
	signals_rollback();
	users_rollback();
	early_rollback();
	if (UNLIKELY(rt->loaded)) {
		loader_rollback();
		if (!rt->config.fork)
			maps_each(sweep);
	}
	if (UNLIKELY(rt->opened)) {
		rt->opened = 0;
		inherited_close_others();
	}
	for (; UNLIKELY(nmappings); nmappings--)
		sys2(SYS_munmap, mappings[nmappings - 1].lo,
		     mappings[nmappings - 1].hi - mappings[nmappings - 1].lo);
	inherited_rollback();
	files_rollback();
	attributes_rollback();
}

static void forget(uintptr_t lo, uintptr_t hi)
{
	for (unsigned i = nmappings; i-- > 0;) {
		struct mapping *m = &mappings[i];

		if (m->lo >= hi || m->hi <= lo)
			continue;
		if (m->lo < lo && m->hi > hi) {
			if (nmappings < MAX_MAPPINGS)
				mappings[nmappings++] = (struct mapping){ hi, m->hi };
			m->hi = lo;
		} else if (m->lo < lo) {
			m->hi = lo;
		} else if (m->hi > hi) {
			m->lo = hi;
		} else {
			*m = mappings[--nmappings];
		}
	}
}

static void *done(long r)
{
	if (r < 0 && r > -4096) {
		*real.errno_location() = (int)-r;
		return MAP_FAILED;
	}
	return (void *)r;
}

static void remember(uintptr_t lo, size_t size)
{
	size = round_up(size, PAGE);
	forget(lo, lo + size);
	if (nmappings == MAX_MAPPINGS)
		unseen("more mappings are made in an execution than are kept track of: some stay",
		       NULL);
	else
		mappings[nmappings++] = (struct mapping){ lo, lo + size };
}

/* Code that was not there before: made by the program, or a library that it maps itself. */
static void note_code(int protection)
{
	if (protection & PROT_EXEC && active() && !rt->cur->loading)
		unseen("the program maps memory that can be executed: what code there reads and "
		       "writes is not seen",
		       NULL);
}

int i_mprotect(void *addr, size_t size, int protection);
int i_mprotect(void *addr, size_t size, int protection)
{
	long r;

	real_init();
	note_code(protection);
	if (active() && early_any((uintptr_t)addr, size))
		r = early_change((uintptr_t)addr, size, protection, false);
	else
		r = sys3(SYS_mprotect, addr, size, protection);
	if (!r)
		early_protected((uintptr_t)addr, size, protection);
	return done(r) == MAP_FAILED ? -1 : 0;
}

void *i_mmap(void *addr, size_t size, int protection, int flags, int fd, off_t offset);
void *i_mmap(void *addr, size_t size, int protection, int flags, int fd, off_t offset)
{
	long r;

	real_init();
	note_code(protection);
	if (active() && flags & MAP_FIXED && early_any((uintptr_t)addr, size)) {
		r = early_change((uintptr_t)addr, size, protection, true);
		return r < 0 ? done(r) : addr;
	}
	r = sys6(SYS_mmap, (long)addr, (long)size, protection, flags, fd, offset);
	if (r < 0 && r >= -4095)
		return done(r);
	if (active())
		remember((uintptr_t)r, size);
	else
		early_mapped((uintptr_t)r, size, protection, flags);
	return (void *)r;
}

void *i_mmap64(void *addr, size_t size, int protection, int flags, int fd, off_t offset);
void *i_mmap64(void *addr, size_t size, int protection, int flags, int fd, off_t offset)
{
	return i_mmap(addr, size, protection, flags, fd, offset);
}

int i_munmap(void *addr, size_t size);
int i_munmap(void *addr, size_t size)
{
	long r;

	real_init();
	if (active() && early_any((uintptr_t)addr, size))
		return done(early_change((uintptr_t)addr, size, PROT_NONE, true)) == MAP_FAILED ? -1
												: 0;
	r = sys2(SYS_munmap, addr, size);
	if (active() && !r)
		forget((uintptr_t)addr, (uintptr_t)addr + round_up(size, PAGE));
	else if (!r)
		early_unmapped((uintptr_t)addr, size);
	return done(r) == MAP_FAILED ? -1 : 0;
}

void *i_mremap(void *old, size_t old_size, size_t size, int flags, void *to);
void *i_mremap(void *old, size_t old_size, size_t size, int flags, void *to)
{
	long r;

	real_init();
	if (active() && early_any((uintptr_t)old, old_size))
		return done(-ENOMEM); /* it stays where it is */
	r = sys6(SYS_mremap, (long)old, (long)old_size, (long)size, flags, (long)to, 0);
	if (r < 0 && r >= -4095)
		return done(r);
	if (active()) {
		forget((uintptr_t)old, (uintptr_t)old + round_up(old_size, PAGE));
		remember((uintptr_t)r, size);
	} else {
		early_unmapped((uintptr_t)old, old_size);
		early_mapped((uintptr_t)r, size, PROT_READ | PROT_WRITE, MAP_PRIVATE);
	}
	return (void *)r;
}

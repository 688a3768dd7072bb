/* SPDX-License-Identifier: MIT
 *
 * Checkpoint and rollback. Every writable segment of the executable and its libraries, except our
 * own, is copied aside before the first execution and copied back after each. What the loader has
 * made read-only (RELRO) is left out. Long runs of zero pages in .bss are not copied but given back
 * to the kernel, which makes them zero again: a program with a large static pool pays only for what
 * it touches. Of short ones, as libc has, nearly all stay zero in an execution, and to see that is
 * cheaper than to copy them.
 */
#include "checkpoint.h"
#include "extended.h"
#include "heap.h"
#include "memory.h"
#include "modules.h"
#include "real.h"
#include "services.h"
#include "state.h"
#include "words.h"

#include <elf.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#define MAX_REGIONS 4096
#define MAX_SPLIT   (MAX_REGIONS / 2)
#define ZERO_RUN    (64UL << 10) /* that is dropped */
#define ZERO_LEAST  1024         /* that is worth a region */

struct region {
	uintptr_t lo, hi;
	uint8_t *saved; /* NULL: zero pages */
	bool loader;    /* state of the loader */
	bool linker;    /* its variables: it counts what it looks up, once for all executions */
	bool drop;      /* zero pages, given back to the kernel */
	bool *changed;  /* or NULL: nobody knows */
};

static struct region regions[MAX_REGIONS];
static unsigned nregions;
static uintptr_t own_lo, own_hi; /* writable segments of this library */
void *lp_text_lo, *lp_text_hi;
extern const char __ehdr_start[] __attribute__((visibility("hidden")));

bool in_runtime_text(uintptr_t pc)
{
	return pc >= (uintptr_t)lp_text_lo && pc < (uintptr_t)lp_text_hi;
}

static struct region *region_add(uintptr_t lo, uintptr_t hi)
{
	struct region *r = &regions[nregions];

	if (nregions == MAX_REGIONS)
		die("more than %u writable segments", (unsigned long)MAX_REGIONS);
	nregions++;
	r->lo = lo;
	r->hi = hi;
	return r;
}

/* At the same place in its page as the original: copying is much faster when both are aligned alike. */
static void give_room(struct region *r)
{
	r->saved = (uint8_t *)round_up((uint64_t)memory_get(r->hi - r->lo + 2 * PAGE), PAGE) +
		   (r->lo & (PAGE - 1));
}

void checkpoint_add(uintptr_t lo, uintptr_t hi)
{
	if (lo < hi)
		give_room(region_add(lo, hi));
}

void checkpoint_add_marked(uintptr_t lo, uintptr_t hi, bool *changed)
{
	checkpoint_add(lo, hi);
	regions[nregions - 1].changed = changed;
}

/* The first place in [lo, hi) that is rolled back already, or must not be. */
static bool find_covered(uintptr_t lo, uintptr_t hi, struct region *r)
{
	for (unsigned i = 0; i < nregions; i++) {
		*r = regions[i];
		if (r->lo < hi && r->hi > lo)
			return true;
	}
	for (unsigned i = 0; fibers_tls(i, &r->lo, &r->hi); i++)
		if (r->lo < hi && r->hi > lo)
			return true;
	r->lo = own_lo;
	r->hi = own_hi;
	return r->lo < hi && r->hi > lo;
}

void checkpoint_add_loader(uintptr_t lo, uintptr_t hi)
{
	struct region covered;

	if (lo >= hi)
		return;
	if (find_covered(lo, hi, &covered)) {
		if (covered.lo > lo)
			checkpoint_add_loader(lo, covered.lo);
		if (covered.hi < hi)
			checkpoint_add_loader(covered.hi, hi);
		return;
	}
	checkpoint_add(lo, hi);
	regions[nregions - 1].loader = true;
}

/* [lo, hi) is zero, and of it the pages from `anonymous` on are private anonymous memory. */
static void region_zero(uintptr_t lo, uintptr_t hi, uintptr_t anonymous)
{
	uintptr_t from = round_up(anonymous > lo ? anonymous : lo, PAGE), to = hi & ~(PAGE - 1);

	if (from + ZERO_RUN > to) {
		region_add(lo, hi);
		return;
	}
	if (lo < from)
		region_add(lo, from);
	region_add(from, to)->drop = true;
	if (to < hi)
		region_add(to, hi);
}

/* Apart what is zero, at least ZERO_LEAST at once. Where there are too many runs of zeroes, the rest is
 * copied as it is. */
static void region_split(uintptr_t lo, uintptr_t hi, uintptr_t anonymous)
{
	uintptr_t at = round_up(lo, ZERO_LINE);

	while (at + ZERO_LEAST <= hi && nregions < MAX_SPLIT) {
		uintptr_t end = at;

		while (end + ZERO_LINE <= hi && lines_zero(end, end + ZERO_LINE))
			end += ZERO_LINE;
		if (end - at >= ZERO_LEAST) {
			checkpoint_add(lo, at);
			region_zero(at, end, anonymous);
			lo = end;
		}
		at = end + ZERO_LINE;
	}
	checkpoint_add(lo, hi);
}

void checkpoint_add_mapping(uintptr_t lo, uintptr_t hi, bool zeroes)
{
	region_split(lo, hi, zeroes ? lo : hi);
}

/* The slots that the loader fills at the first call of a function: taken back, every execution
 * would look the functions up again. [*lo, *hi), empty if there are none. */
static void lazy_slots(const struct dl_phdr_info *info, uintptr_t *lo, uintptr_t *hi)
{
	const ElfW(Dyn) *dynamic = module_dynamic(info);
	const ElfW(Rela) *rela = dynamic_address(dynamic, info->dlpi_addr, DT_JMPREL);
	size_t size = dynamic_value(dynamic, DT_PLTRELSZ);

	*lo = *hi = 0;
	if (!rela || !size)
		return;
	*lo = UINTPTR_MAX;
	for (size_t i = 0; i < size / sizeof *rela; i++) {
		uintptr_t slot = info->dlpi_addr + rela[i].r_offset;

		if (slot < *lo)
			*lo = slot;
		if (slot + 8 > *hi)
			*hi = slot + 8;
	}
}

static int add_module(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t relro_lo = 0, relro_hi = 0, base = info->dlpi_addr, slots_lo, slots_hi;
	bool own = false, linker = base == getauxval(AT_BASE);
	unsigned first = nregions;

	(void)size;
	(void)data;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_GNU_RELRO) {
			relro_lo = base + p->p_vaddr;
			relro_hi = (base + p->p_vaddr + p->p_memsz) & ~(PAGE - 1);
		}
		if (p->p_type == PT_LOAD && (uintptr_t)__ehdr_start >= base + p->p_vaddr &&
		    (uintptr_t)__ehdr_start < base + p->p_vaddr + p->p_memsz)
			own = true;
	}
	lazy_slots(info, &slots_lo, &slots_hi);
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t lo = base + p->p_vaddr, hi = lo + p->p_memsz;

		if (p->p_type != PT_LOAD)
			continue;
		if (own && (p->p_flags & PF_X)) {
			lp_text_lo = (void *)lo;
			lp_text_hi = (void *)hi;
		}
		if (own && (p->p_flags & PF_W)) {
			own_lo = lo & ~(PAGE - 1);
			own_hi = round_up(hi, PAGE);
		}
		if (own || !(p->p_flags & PF_W))
			continue;
		/* A write out of bounds may go to what else is in its pages. */
		hi = round_up(hi, PAGE);
		if (relro_lo < hi && relro_hi > lo) {
			checkpoint_add(lo, relro_lo);
			lo = relro_hi;
		} else {
			lo &= ~(PAGE - 1);
		}
		if (slots_lo >= lo && slots_hi <= hi && slots_lo < slots_hi) {
			checkpoint_add(lo, slots_lo);
			lo = slots_hi;
		}
		region_split(lo, hi, base + p->p_vaddr + p->p_filesz);
	}
	for (; linker && first < nregions; first++)
		regions[first].linker = true;
	return 0;
}

void checkpoint_take(void)
{
	static bool found;

	/* Taken again when more donors were needed: the places are the same. */
	if (!found) {
		extended_find();
		real.dl_iterate_phdr(add_module, NULL);
		if (!rt->config.fork)
			interposing.loader_state();
	}
	found = true;
	for (unsigned i = 0; i < nregions; i++) {
		struct region *r = &regions[i];

		if (!r->saved && !r->drop && !all_zero((void *)r->lo, r->hi - r->lo))
			give_room(r);
		if (r->saved)
			copy(r->saved, (void *)r->lo, r->hi - r->lo);
	}
	fibers_snapshot_tls();
	heap_checkpoint();
}

#define HASHED_MOST (16UL << 20)

bool checkpoint_hash(uint64_t *sum)
{
	uint64_t size = 0;

	if (rt->loaded)
		return false;
	for (unsigned i = 0; i < nregions; i++) {
		const struct region *r = &regions[i];

		if (r->loader || r->linker)
			continue;
		size += r->hi - r->lo;
		if (size > HASHED_MOST)
			return false;
		*sum += hash_words(r->lo, r->hi, r->saved);
	}
	return true;
}

void checkpoint_each(void (*f)(uintptr_t lo, uintptr_t hi))
{
	for (unsigned i = 0; i < nregions; i++)
		f(regions[i].lo, regions[i].hi);
}

void checkpoint_rollback(bool data)
{
	heap_rollback(data);
	if (!data)
		return;
	for (unsigned i = 0; i < nregions; i++) {
		struct region *r = &regions[i];

		if ((r->loader && !rt->loaded) || (r->changed && !*r->changed))
			continue;
		if (r->changed)
			*r->changed = false;
		if (r->saved)
			copy((void *)r->lo, r->saved, r->hi - r->lo);
		else if (r->drop)
			sys3(SYS_madvise, r->lo, r->hi - r->lo, MADV_DONTNEED);
		else if (UNLIKELY(!lines_zero(r->lo, r->hi)))
			zero((void *)r->lo, r->hi - r->lo);
	}
	fibers_restore_tls();
	fibers_wipe_stacks();
}

/* SPDX-License-Identifier: MIT
 *
 * The program's malloc. Each thread allocates from a window of its own and keeps the blocks that it frees, so the address of
 * its n-th allocation depends on what that thread did and not on how threads were interleaved: executions that differ only in
 * the order of independent steps have the same addresses. Book-keeping is beside the blocks, not in them. Fresh memory is
 * always zero. Behind each block are bytes that nobody may touch (block.h).
 *
 * Policies: *reuse* gives the block freed last out first (shows ABA), first of those that the thread has freed itself, then of
 * those of others (reuse.h); *thread* only the former; *quarantine* never gives a freed block out again in an execution.
 */
#include "heap.h"
#include "block.h"
#include "maps.h"
#include "memory.h"
#include "memory_errors.h"
#include "own_stack.h"
#include "reuse.h"
#include "sched.h"
#include "twins.h"
#include "words.h"

#include <sys/mman.h>

#define SMALL_CLASSES 65 /* free lists by size / 16; the last one holds everything above */
#define DROP          (128UL << 10)
#define LARGE         (32UL << 20) /* its memory is given back when it is freed, as libc does */
#define MAX_TOUCHED   64

struct window {
	uintptr_t next; /* first byte never given out */
	uintptr_t kept; /* up to here the contents at the checkpoint are restored */
	struct block *blocks;
	uint32_t nblocks, capacity, kept_blocks;
	uint64_t free[SMALL_CLASSES]; /* window << 32 | index, plus 1; 0 none */
};

struct heap {
	struct window windows[MAX_FIBERS + 1];
	uint32_t allocations; /* of the main thread before the checkpoint */
	uint8_t *saved;       /* of window 0 at the checkpoint; only what was touched */
	struct range touched[MAX_TOUCHED];
	unsigned ntouched;
	struct block *saved_blocks;
	uint64_t saved_free[SMALL_CLASSES];
	uint64_t common[SMALL_CLASSES]; /* freed blocks for all threads, like windows[].free */
	uint8_t filled[SMALL_CLASSES];	/* is there one? */
	bool frozen; /* there is a checkpoint */
	bool listed; /* the lists of free blocks are not as they were there */
};

static bool mapped[MAX_FIBERS + 1]; /* in this process: a child's mappings are its own */

void heap_init(void)
{
	rt->heap = memory_get(sizeof *rt->heap);
}

void heap_window(unsigned w)
{
	struct window *win = &rt->heap->windows[w];
	uintptr_t base = HEAP_BASE + w * HEAP_WINDOW;

	if (mapped[w])
		return;
	map(base, HEAP_WINDOW, true, false);
	mapped[w] = true;
	if (win->next)
		return;
	win->next = win->kept = base;
	win->capacity = 256;
	win->blocks = memory_get(win->capacity * sizeof *win->blocks);
}

static struct window *window_get(unsigned w)
{
	heap_window(w);
	return &rt->heap->windows[w];
}

static struct block *block_at(uint64_t ref)
{
	return &rt->heap->windows[ref >> 32].blocks[(uint32_t)ref];
}

/* The last block of the window that starts at or below addr. */
static struct block *block_below(struct window *w, uintptr_t addr)
{
	uint32_t lo = 0, hi = w->nblocks;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (w->blocks[mid].base <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &w->blocks[lo - 1] : NULL;
}

struct block *block_before(uintptr_t addr)
{
	return in_heap(addr) ? block_below(&rt->heap->windows[(addr - HEAP_BASE) / HEAP_WINDOW],
					   addr)
			     : NULL;
}

struct block *block_find(uintptr_t addr)
{
	struct block *b = block_before(addr);

	return b && addr - b->base < b->size ? b : NULL;
}

/* Memory nobody has touched stays so: a large block costs what is used of it. */
static void wipe(uintptr_t lo, uintptr_t hi)
{
	uintptr_t first = round_up(lo, PAGE), last = hi & ~(PAGE - 1);

	if (hi - lo <= DROP) {
		zero((void *)lo, hi - lo);
		return;
	}
	zero((void *)lo, first - lo);
	sys3(SYS_madvise, first, last - first, MADV_DONTNEED);
	zero((void *)last, hi - last);
}

struct block *block_live(const void *p)
{
	struct block *b = block_find((uintptr_t)p);

	return b && b->base == (uintptr_t)p && !b->freed ? b : NULL;
}

struct block *block_next(const struct block *b)
{
	unsigned i = b ? (unsigned)((b->base - HEAP_BASE) / HEAP_WINDOW) : 0;
	struct window *w = &rt->heap->windows[i];
	uint32_t k = b ? (uint32_t)(b - w->blocks) + 1 : 0;

	while (k == w->nblocks) {
		if (++i >= rt->nfibers)
			return NULL;
		w = &rt->heap->windows[i];
		k = 0;
	}
	return &w->blocks[k];
}

bool block_kept(const struct block *b)
{
	return !(b->name >> 32) && b->name <= rt->heap->allocations;
}

uint32_t blocks_count(void)
{
	uint32_t n = rt->heap->windows[SYSTEM_WINDOW].nblocks;

	for (unsigned i = 0; i < rt->nfibers; i++)
		n += rt->heap->windows[i].nblocks;
	return n;
}

void blocks_outside(void (*f)(uintptr_t addr))
{
	const struct window *w = &rt->heap->windows[SYSTEM_WINDOW];

	for (uint32_t i = 0; i < w->nblocks; i++)
		if (!w->blocks[i].freed)
			f(w->blocks[i].base);
	for (const struct block *b = block_next(NULL); b && block_kept(b); b = block_next(b))
		if (!b->freed)
			f(b->base);
}

static unsigned size_class(size_t size)
{
	return size / 16 < SMALL_CLASSES - 1 ? (unsigned)(size / 16) : SMALL_CLASSES - 1;
}

static uint64_t next_name(void)
{
	if (!rt->running)
		return rt->heap->frozen ? UINT32_MAX : ++rt->heap->allocations;
	/* What the main thread allocated before the checkpoint keeps its numbers. */
	return (uint64_t)rt->cur->id << 32 |
	       (++rt->cur->allocations + (rt->cur->id ? 0 : rt->heap->allocations));
}

/* Takes a block of exactly this class from a list of free ones. */
static struct block *take_from(uint64_t *link, unsigned class, size_t size, size_t align)
{
	while (*link) {
		struct block *b = block_at(*link - 1);

		if ((class < SMALL_CLASSES - 1 || b->size == size) && b->base % align == 0) {
			*link = b->next;
			rt->heap->listed = true;
			return b;
		}
		link = &b->next;
	}
	return NULL;
}

static struct block *take_free(struct window *w, size_t size, size_t align,
			       const struct call_place *from)
{
	struct heap *h = rt->heap;
	unsigned class = size_class(size);
	struct block *b = take_from(&w->free[class], class, size, align);

	if (rt->tracing && from->visible)
		reuse_allocates(class);
	if (b || !reuse_common(class))
		return b;
	if (rt->tracing) {
		if (!from->visible)
			return NULL;
		reuse_take(&h->filled[class], from);
	}
	b = take_from(&h->common[class], class, size, align);
	h->filled[class] = h->common[class] != 0;
	return b;
}

/* Puts a freed block where the next allocation finds it. */
static void give_free(struct window *w, uintptr_t base, const struct call_place *from)
{
	struct heap *h = rt->heap;
	struct block *b = block_find(base);
	unsigned class = size_class(b->size), owner;
	uint64_t *list = &w->free[class];
	/* The argument of a thread, which it frees, is made for that thread alone. */
	bool others = rt->running && b->name >> 32 != rt->cur->id && base != (uintptr_t)rt->cur->arg;

	if (others && rt->tracing && from->visible)
		reuse_frees(class, (unsigned)(b->name >> 32));
	if (others && reuse_common(class) && (!rt->tracing || from->visible)) {
		if (rt->tracing)
			reuse_give(&h->filled[class], from);
		list = &h->common[class];
		h->filled[class] = 1;
	}
	/* Others may have allocated meanwhile, and moved the table of blocks. */
	b = block_find(base);
	owner = (unsigned)((base - HEAP_BASE) / HEAP_WINDOW);
	b->next = *list;
	h->listed = true;
	*list = ((uint64_t)owner << 32 | (uint64_t)(b - h->windows[owner].blocks)) + 1;
}

struct wish {
	unsigned window;
	size_t size, align;
};

static void *take_fresh(void *wish)
{
	const struct wish *wanted = wish;
	struct window *w = window_get(wanted->window);
	uintptr_t base = round_up(w->next, wanted->align), end = HEAP_BASE + (wanted->window + 1) * HEAP_WINDOW;
	struct block *b;

	if (base < w->next || base > end || wanted->size > end - base)
		return NULL;
	if (w->nblocks == w->capacity)
		w->blocks = memory_twice(w->blocks, &w->capacity, sizeof *b);
	b = &w->blocks[w->nblocks++];
	b->base = base;
	b->size = wanted->size;
	w->next = base + wanted->size;
	return b;
}

void *heap_alloc(size_t size, size_t align, bool clear, const struct call_place *from)
{
	struct wish wish = { rt->running ? rt->cur->id : rt->heap->frozen ? SYSTEM_WINDOW : 0, block_room(size), align };
	struct block *b;

	if (size > HEAP_WINDOW)
		return NULL;
	if (rt->running)
		twin_asks(rt->cur);
	b = take_free(window_get(wish.window), wish.size, align, from);
	if (b)
		b = reuse_begins(b, size, from);
	if (b && clear)
		wipe(b->base, b->base + size);
	if (!b)
		b = on_own_stack(take_fresh, &wish);
	if (!b)
		return NULL;
	b->freed = 0;
	b->name = next_name();
	b->allocated = *from;
	block_resize(b, size);
	if (rt->tracing) {
		settle();
		context_now(rt->cur);
		note_at(rt->cur, LP_EV_ALLOC, b->base, 0, from->pc, from->context)->size = event_size(size);
	}
	return (void *)b->base;
}

void heap_copy(void *to, const void *from, size_t size)
{
	uintptr_t lo = round_up((uintptr_t)from, PAGE), hi = (uintptr_t)from + size;
	struct range touched[MAX_TOUCHED];
	unsigned n;

	if (size < LARGE) {
		copy(to, from, size);
		return;
	}
	/* The new one is large as well, so it is zero where nothing is copied. */
	copy(to, from, lo - (uintptr_t)from);
	n = maps_touched(lo, hi, touched, MAX_TOUCHED);
	for (unsigned i = 0; i < n; i++)
		copy((char *)to + (touched[i].lo - (uintptr_t)from), (void *)touched[i].lo,
		     touched[i].hi - touched[i].lo);
}

size_t heap_size(const void *p)
{
	const struct block *b = block_live(p);

	return b ? b->asked : 0;
}

bool heap_live(const void *p)
{
	return block_live(p) != NULL;
}

bool heap_resize(void *p, size_t size)
{
	struct block *b = block_live(p);

	if (!b || size > b->asked)
		return false;
	block_resize(b, size);
	return true;
}

void heap_free(void *p, const struct call_place *from)
{
	unsigned number = rt->running ? rt->cur->id : rt->heap->frozen ? SYSTEM_WINDOW : 0;
	struct window *w = window_get(number);
	struct block *b = block_live(p);

	if (!b) {
		/* Allocated before the runtime was there, by a loader that has a malloc of its own. */
		if (rt->running)
			end_bad_free(p, from);
		return;
	}
	if (rt->running)
		block_check(b, from);
	b->freed = 1;
	if (b->size >= LARGE)
		wipe(b->base, b->base + b->size);
	b->released = *from;
	if (rt->running && !rt->freed && rt->nfibers > 1) {
		rt->freed = 1;
		set_tracing();
	}
	if (!rt->running || rt->config.malloc != MALLOC_QUARANTINE)
		give_free(w, (uintptr_t)p, from);
}

bool heap_list(uintptr_t addr, uint64_t *most)
{
	uint64_t class = addr - (uintptr_t)rt->heap->filled;

	if (class >= SMALL_CLASSES)
		return false;
	*most = class < SMALL_CLASSES - 1 ? class * 16 - GAP_LEAST : 0;
	return true;
}

bool heap_name(uintptr_t addr, uint64_t *name, uint64_t *base)
{
	const struct block *b = block_before(addr);

	if (!b)
		return false;
	*name = b->name;
	*base = b->base;
	return true;
}

void heap_checkpoint(void)
{
	struct heap *h = rt->heap;
	struct window *w = window_get(0);

	h->frozen = true;
	w->kept = w->next;
	w->kept_blocks = w->nblocks;
	h->saved = (uint8_t *)round_up((uint64_t)memory_get(w->next - HEAP_BASE + PAGE), PAGE);
	h->ntouched = maps_touched(HEAP_BASE, w->next, h->touched, MAX_TOUCHED);
	h->saved_blocks = memory_get(w->nblocks * sizeof *w->blocks);
	for (unsigned i = 0; i < h->ntouched; i++) {
		uintptr_t lo = h->touched[i].lo;

		copy(h->saved + (lo - HEAP_BASE), (void *)lo, h->touched[i].hi - lo);
	}
	copy(h->saved_blocks, w->blocks, w->nblocks * sizeof *w->blocks);
	copy(h->saved_free, w->free, sizeof h->saved_free);
}

#define HASHED_MOST (16UL << 20)

static uint64_t list_hash(uint64_t hash, uint64_t link)
{
	for (; link; link = block_at(link - 1)->next)
		hash = mix(hash, link);
	return hash;
}

/* Who has freed it, and where, is told when it is used again. */
static uint64_t block_hash(const struct block *b)
{
	uint64_t sum = hash_word(b->base + 1, b->name) + hash_word(b->base + 2, b->asked << 1 | b->freed);

	if (b->freed)
		sum += hash_word(b->base + 3, mix(b->released.pc, b->released.thread));
	return sum;
}

bool heap_hash(uint64_t *sum)
{
	const struct heap *h = rt->heap;
	uint64_t size = 0;

	for (unsigned k = 0; k < SMALL_CLASSES; k++)
		*sum += hash_word(HEAP_BASE + SMALL_CLASSES + k, list_hash(k, h->common[k]));
	for (unsigned i = 0; i < rt->nfibers; i++) {
		const struct window *w = &h->windows[i];
		uintptr_t base = HEAP_BASE + i * HEAP_WINDOW;

		if (!w->next)
			continue;
		size += w->next - base;
		if (size > HASHED_MOST)
			return false;
		*sum += hash_words(base, w->next, NULL) + hash_word(base, w->next);
		for (uint32_t k = 0; k < w->nblocks; k++)
			*sum += block_hash(&w->blocks[k]);
		for (unsigned k = 0; k < SMALL_CLASSES; k++)
			*sum += hash_word(base + k, list_hash(k, w->free[k]));
	}
	return true;
}

/* Window 0 up to where it was at the checkpoint. What is between the parts was untouched. */
static void restore(const struct heap *h)
{
	uintptr_t at = HEAP_BASE;

	for (unsigned i = 0; i < h->ntouched; i++) {
		const struct range *t = &h->touched[i];

		wipe(at, t->lo);
		copy((void *)t->lo, h->saved + (t->lo - HEAP_BASE), t->hi - t->lo);
		at = t->hi;
	}
	wipe(at, h->windows[0].kept);
}

void heap_rollback(bool data)
{
	struct heap *h = rt->heap;

	if (h->listed) {
		zero(h->common, sizeof h->common);
		zero(h->filled, sizeof h->filled);
		copy(h->windows[0].free, h->saved_free, sizeof h->saved_free);
	}
	reuse_reset();
	for (unsigned i = 0; i < rt->nfibers; i++) {
		struct window *w = &h->windows[i];

		if (!w->next)
			continue;
		if (data)
			wipe(w->kept, w->next);
		w->next = w->kept;
		w->nblocks = w->kept_blocks;
		if (h->listed && i)
			zero(w->free, sizeof w->free);
	}
	h->listed = false;
	if (data)
		restore(h);
	copy(h->windows[0].blocks, h->saved_blocks,
	     h->windows[0].nblocks * sizeof *h->saved_blocks);
}

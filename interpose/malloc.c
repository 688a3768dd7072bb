/* SPDX-License-Identifier: MIT
 *
 * The malloc family on the runtime's heap. Freeing a block is a write to all of it; no other thread
 * can see an allocation.
 */
#include "../runtime/heap.h"
#include "../runtime/memory_errors.h"
#include "../runtime/modules.h"
#include "../runtime/start.h"
#include "interpose.h"

#include <errno.h>

#define OPERATOR_WORDS 4

static void *out_of_memory(void)
{
	if (real.errno_location)
		*real.errno_location() = ENOMEM;
	return NULL;
}

/* libc may allocate and free while it holds a lock of its own. No other thread may run while it
 * does. */
static bool others_may_run(void)
{
	return active() && rt->tracing && !module_is_libc(caller());
}

/* The operators of C++ keep a few registers between the program's return address and ours. More of
 * the stack is not looked at: what a library has left there may differ from execution to execution,
 * and a trace must not. */
static const uint64_t *call_slot(void)
{
	const uint64_t *slot = rt->entry + ENTRY_PC;

	for (unsigned i = 0; i <= OPERATOR_WORDS && !module_is_libc(*slot); i++)
		if (module_is_program(slot[i]))
			return slot + i;
	return slot;
}

/* Where the program called. */
static struct call_place from_here(void)
{
	struct call_place from = { 0 };
	const uint64_t *slot;

	if (!active()) {
		from.pc = rt->entry ? rt->entry[ENTRY_PC] : 0;
		return from;
	}
	slot = call_slot();
	from.pc = pc_of_call(slot);
	context_of_call(rt->cur, slot);
	from.context = rt->cur->context;
	from.thread = rt->cur->id;
	from.visible = others_may_run();
	return from;
}

/* What is not found has a message with paths in it, which libc keeps, and frees when the program asks the
 * loader for something. On the program's heap, its addresses and what new blocks hold would depend on where
 * the program lies. libc has a few at a time, each as long as a path may be. */
#define MESSAGES 8

static _Alignas(16) char messages[MESSAGES][8192];
static unsigned messages_used; /* a bit each */

static bool is_message(const void *p)
{
	return (uintptr_t)p - (uintptr_t)messages < sizeof messages;
}

static void *allocate_message(size_t size, bool clear)
{
	unsigned i = 0;

	while (i < MESSAGES && messages_used >> i & 1)
		i++;
	if (i == MESSAGES || size > sizeof *messages)
		return NULL;
	messages_used |= 1u << i;
	if (clear)
		zero(messages[i], size);
	return messages[i];
}

static void release_message(const void *p)
{
	if (rt->looking_up)
		messages_used &= ~(1u << ((uintptr_t)p - (uintptr_t)messages) / sizeof *messages);
}

static void *allocate(size_t size, size_t align, bool clear)
{
	struct call_place from;
	void *p;

	start_early();
	if (UNLIKELY(rt->looking_up) && (p = allocate_message(size, clear)))
		return p;
	from = from_here();
	p = heap_alloc(size, align, clear, &from);
	return p ? p : out_of_memory();
}

/* Others may run before memory is given back, and before it turns out that it is not there (any
 * more). */
static void release(void *p, const struct call_place *from)
{
	size_t size = heap_size(p);

	if (from->visible) {
		announce(LP_EV_FREE, p, event_size(size ? size : 1), from->pc)->flags =
			LP_SITE_NOVALUE;
		step(rt->cur);
	}
	heap_free(p, from);
}

static bool product(size_t a, size_t b, size_t *result)
{
	return !__builtin_mul_overflow(a, b, result);
}

void *i_malloc(size_t size);
void *i_malloc(size_t size)
{
	return allocate(size, 16, false);
}

void *i_calloc(size_t n, size_t size);
void *i_calloc(size_t n, size_t size)
{
	size_t whole;

	return product(n, size, &whole) ? allocate(whole, 16, true) : out_of_memory();
}

void i_free(void *p);
void i_free(void *p)
{
	struct call_place from;

	if (is_message(p)) {
		release_message(p);
		return;
	}
	if (!p)
		return;
	start_early();
	from = from_here();
	release(p, &from);
}

/* again: the call has read it before. Without that mark it would look like a thread that is back where it
 * was, and waits. */
static void read_block(void *p, size_t size, const struct call_place *from, bool again)
{
	struct pending *pending;

	if (!from->visible)
		return;
	pending = announce(LP_EV_READ, p, event_size(size), from->pc);
	pending->flags = LP_SITE_NOVALUE;
	pending->attempt = again;
	step(rt->cur);
}

void *i_realloc(void *p, size_t size);
void *i_realloc(void *p, size_t size)
{
	struct call_place from;
	size_t have;
	void *q;

	start_early();
	if (!p)
		return allocate(size, 16, false);
	if (is_message(p)) {
		q = allocate(size, 16, false);
		have = sizeof *messages;
		copy(q, p, q ? (have < size ? have : size) : 0);
		return q;
	}
	from = from_here();
	/* Whether the block is there, and how large it is, is known from here on. How much is read before
	 * must not depend on that. */
	if (size)
		read_block(p, 1, &from, false);
	if (!size || (active() && !heap_live(p))) {
		release(p, &from);
		return NULL;
	}
	have = heap_size(p);
	/* Others must not use what is cut off. */
	if (size < have && from.visible) {
		announce(LP_EV_WRITE, (char *)p + size, event_size(have - size), from.pc)->flags =
			LP_SITE_NOVALUE;
		step(rt->cur);
	}
	if (heap_resize(p, size))
		return p;
	q = heap_alloc(size, 16, false, &from);
	if (!q)
		return out_of_memory();
	/* What others write before this is copied, what they write later is lost. */
	if (have)
		read_block(p, have, &from, true);
	heap_copy(q, p, have);
	release(p, &from);
	return q;
}

void *i_reallocarray(void *p, size_t n, size_t size);
void *i_reallocarray(void *p, size_t n, size_t size)
{
	size_t whole;

	return product(n, size, &whole) ? i_realloc(p, whole) : out_of_memory();
}

void *i_memalign(size_t align, size_t size);
void *i_memalign(size_t align, size_t size)
{
	return allocate(size, align < 16 ? 16 : align, false);
}

void *i_aligned_alloc(size_t align, size_t size);
void *i_aligned_alloc(size_t align, size_t size)
{
	return i_memalign(align, size);
}

int i_posix_memalign(void **p, size_t align, size_t size);
int i_posix_memalign(void **p, size_t align, size_t size)
{
	struct call_place from;
	void *q;

	if (align < sizeof(void *) || (align & (align - 1)))
		return EINVAL;
	start_early();
	from = from_here();
	q = heap_alloc(size, align < 16 ? 16 : align, false, &from);
	if (!q)
		return ENOMEM;
	*p = q;
	return 0;
}

void *i_valloc(size_t size);
void *i_valloc(size_t size)
{
	return allocate(size, PAGE, false);
}

void *i_pvalloc(size_t size);
void *i_pvalloc(size_t size)
{
	return allocate(round_up(size, PAGE), PAGE, false);
}

size_t i_malloc_usable_size(void *p);
size_t i_malloc_usable_size(void *p)
{
	start_early();
	return p ? heap_size(p) : 0;
}

/* SPDX-License-Identifier: MIT
 *
 * The malloc family on the runtime's heap. Freeing a block is a write to all of it; no other thread
 * can see an allocation.
 */
#include "../runtime/heap.h"
#include "../runtime/modules.h"
#include "../runtime/start.h"
#include "interpose.h"

#include <errno.h>

static void *out_of_memory(void)
{
	if (real.errno_location)
		*real.errno_location() = ENOMEM;
	return NULL;
}

static void *allocate(size_t size, size_t align, bool clear)
{
	void *p;

	start_early();
	p = heap_alloc(size, align, clear);
	return p ? p : out_of_memory();
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
	if (!p)
		return;
	start_early();
	/* libc may free while it holds a lock of its own. No other thread may run while it does. */
	if (active() && rt->tracing && !module_is_libc(caller())) {
		size_t size = heap_size(p);

		if (size) {
			announce(LP_EV_FREE, p, event_size(size), caller())->flags = LP_SITE_NOVALUE;
			step(rt->cur);
		}
	}
	heap_free(p, rt->entry ? rt->entry[ENTRY_PC] : 0);
}

void *i_realloc(void *p, size_t size);
void *i_realloc(void *p, size_t size)
{
	size_t have;
	void *q;

	start_early();
	if (!p)
		return allocate(size, 16, false);
	if (!size) {
		i_free(p);
		return NULL;
	}
	have = heap_size(p);
	if (size <= have)
		return p;
	q = allocate(size, 16, false);
	if (!q)
		return NULL;
	heap_copy(q, p, have);
	i_free(p);
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
	void *q;

	if (align < sizeof(void *) || (align & (align - 1)))
		return EINVAL;
	start_early();
	q = heap_alloc(size, align < 16 ? 16 : align, false);
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

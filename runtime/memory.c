/* SPDX-License-Identifier: MIT
 *
 * The runtime's own memory: one reservation, given out from the bottom, paged in as it is touched.
 * It is apart from the program's memory and survives the rollback; with --isolate=fork it is shared
 * with the children.
 */
#include "memory.h"
#include "state.h"

bool rt_there;

uintptr_t working_place(size_t size)
{
	static uintptr_t next = WORKING_PLACE;
	uintptr_t place = next;

	next += round_up(size, PAGE);
	return place;
}

void memory_init(bool shared)
{
	struct runtime *r = map(RUNTIME_PLACE, round_up(sizeof *r, PAGE), true, shared);

	r->bump = (uint64_t)map(MEMORY_PLACE, MEMORY_SIZE, false, shared);
	r->bump_end = r->bump + MEMORY_SIZE;
	r->fd_err = 2;
	r->fd_out = 1;
	rt_there = true;
}

void *memory_get(size_t size)
{
	uint64_t p = rt->bump;

	size = round_up(size, 64);
	if (size > rt->bump_end - p)
		die("the runtime's memory (%u bytes) is used up", MEMORY_SIZE);
	rt->bump = p + size;
	return (void *)p;
}

void *memory_twice(const void *old, uint32_t *capacity, size_t size)
{
	void *new = memory_get(*capacity * 2UL * size);

	copy(new, old, *capacity * size);
	*capacity *= 2;
	return new;
}

char *memory_file(const char *path, const char *variable)
{
	size_t size = 1 << 14;
	char *text;
	long n;

	do {
		size *= 4;
		text = memory_get(size);
		n = read_file(path, text, size - 1);
	} while (n == (long)size - 1);
	if (n < 0)
		die("%s: %s cannot be opened (errno %d)", variable, path, -n);
	text[n] = '\0';
	return text;
}

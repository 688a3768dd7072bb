/* SPDX-License-Identifier: MIT
 *
 * The runtime's own memory: one reservation, given out from the bottom, paged in as it is touched.
 * It is apart from the program's memory and survives the rollback; with --isolate=fork it is shared
 * with the children.
 */
#include "rt.h"

#define RESERVE (32UL << 30)
#define RESERVE_PLACE                                                                              \
	0x0d0000000000UL /* not below the libraries: copies of their code must be near them */
#define RUNTIME_PLACE                                                                              \
	0x68000000UL /* below 2 GiB, where instrumented code reaches it from anywhere */

#define WORKING_PLACE 0x0b0000000000UL

struct runtime *rt;

uintptr_t working_place(size_t size)
{
	static uintptr_t next = WORKING_PLACE;
	uintptr_t place = next;

	next += round_up(size, PAGE);
	return place;
}

void memory_init(bool shared)
{
	struct runtime *r = map(RUNTIME_PLACE, round_up(sizeof *r, PAGE), false, shared);

	r->bump = (uint64_t)map(RESERVE_PLACE, RESERVE, false, shared);
	r->bump_end = r->bump + RESERVE;
	r->fd_err = 2;
	r->fd_out = 1;
	rt = r;
}

void *memory_get(size_t size)
{
	uint64_t p = rt->bump;

	size = round_up(size, 64);
	if (size > rt->bump_end - p)
		die("the runtime's memory (%u bytes) is used up", RESERVE);
	rt->bump = p + size;
	return (void *)p;
}

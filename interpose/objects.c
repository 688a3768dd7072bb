/* SPDX-License-Identifier: MIT
 *
 * What the objects of the thread library have in common.
 */
#include "interpose.h"

void destroy_unheld(const volatile void *object, const char *message)
{
	const struct owner *other = owner_other(object);

	if (other)
		end_misuse(object, message, &other->since, LP_WAIT_HELD);
}

void destroy_unwaited(const volatile void *object, const char *message)
{
	for (uint64_t b = rt->blocked & ~bit(rt->cur->id); b; b &= b - 1) {
		const struct fiber *f = &rt->fibers[__builtin_ctzll(b)];
		const struct pending *p = &f->pending;

		if (p->addr == (uint64_t)object && p->wait != WAIT_JOIN && p->wait != WAIT_FUTEX &&
		    !p->attempt && !object_allows(f, p)) {
			struct call_place where = waits_where(f);

			end_misuse(object, message, &where, LP_WAIT_WAITS);
		}
	}
}

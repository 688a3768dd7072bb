/* SPDX-License-Identifier: MIT
 *
 * What the objects of the thread library have in common.
 */
#include "../runtime/memory_errors.h"
#include "../runtime/unseen.h"
#include "interpose.h"

static const char undefined[] = ": what that thread does with it in another order is undefined, and not explored";

/* Whoever holds it may fail to unlock it, or to lock it again, which is no step. */
void lock_made_anew(const volatile void *object, const char *what)
{
	if (UNLIKELY(owner_other(object) != NULL))
		unseen("a ", what, " is initialized while another thread holds it", undefined, NULL);
	if (!alone() && UNLIKELY(owner_denied_meanwhile(object)))
		unseen("a ", what, " is initialized while another thread fails to unlock it", undefined, NULL);
	owners_forget(object);
}

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

void init_is_no_step(const volatile void *object)
{
	if (used_by_others((uint64_t)object, (uint64_t)object + 1))
		unseen("an object on the stack of main, or a thread-local one, is initialized or destroyed while another thread uses it: that "
		       "it is used after that is not explored. Let the object be static or on the heap",
		       NULL);
}

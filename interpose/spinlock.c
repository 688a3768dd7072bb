/* SPDX-License-Identifier: MIT
 *
 * pthread_spin_*. The lock is a word, so a destroyed one has a value of its own.
 */
#include "interpose.h"

#include <errno.h>

static void check_destroyed(const pthread_spinlock_t *l)
{
	if (UNLIKELY(*l == SPINLOCK_DESTROYED))
		end_misuse(l, "use of a spin lock that was destroyed", destroyed_where(l),
			   LP_WAIT_DESTROYED);
}

int i_pthread_spin_init(pthread_spinlock_t *l, int shared);
int i_pthread_spin_init(pthread_spinlock_t *l, int shared)
{
	if (active()) {
		object_init_step(l);
		process_shared((const void *)l, shared != PTHREAD_PROCESS_PRIVATE);
		owners_forget(l);
	}
	*l = SPINLOCK_FREE;
	return 0;
}

int i_pthread_spin_destroy(pthread_spinlock_t *l);
int i_pthread_spin_destroy(pthread_spinlock_t *l)
{
	if (!active())
		return 0;
	object_init_step(l);
	check_destroyed(l);
	destroy_unwaited(l, "destruction of a spin lock that another thread waits for");
	if (*l == SPINLOCK_TAKEN)
		destroy_unheld(l, "destruction of a spin lock that another thread holds");
	*l = SPINLOCK_DESTROYED;
	destroyed_here(l);
	return 0;
}

static int take(pthread_spinlock_t *l, bool attempt)
{
	if (!(alone() && *l == SPINLOCK_FREE)) {
		if (alone() && attempt && *l != SPINLOCK_DESTROYED)
			return EBUSY;
		if (object_step(LP_EV_LOCK, l, WAIT_SPINLOCK, attempt)->kind == LP_EV_TRYLOCK_FAIL)
			return EBUSY;
	}
	check_destroyed(l);
	*l = SPINLOCK_TAKEN;
	owner_add(l, false);
	return 0;
}

int i_pthread_spin_lock(pthread_spinlock_t *l);
int i_pthread_spin_lock(pthread_spinlock_t *l)
{
	if (!active())
		return real_pthread_spin_lock(l);
	return take(l, false);
}

int i_pthread_spin_trylock(pthread_spinlock_t *l);
int i_pthread_spin_trylock(pthread_spinlock_t *l)
{
	if (!active())
		return real_pthread_spin_trylock(l);
	return take(l, true);
}

int i_pthread_spin_unlock(pthread_spinlock_t *l);
int i_pthread_spin_unlock(pthread_spinlock_t *l)
{
	const struct owner *other;

	if (!active())
		return real_pthread_spin_unlock(l);
	if (!alone())
		object_step(LP_EV_UNLOCK, l, WAIT_NOT, false);
	check_destroyed(l);
	other = owner_other(l);
	if (!owner_remove(l) && other)
		end_misuse(l, "unlock of a spin lock that another thread holds", &other->since,
			   LP_WAIT_HELD);
	if (*l == SPINLOCK_FREE)
		end_misuse(l, "unlock of a spin lock that is not locked", NULL, 0);
	*l = SPINLOCK_FREE;
	return 0;
}

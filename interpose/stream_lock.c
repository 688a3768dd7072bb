/* SPDX-License-Identifier: MIT
 *
 * flockfile and its kin: the lock that libc keeps in a stream, which is a mutex to the scheduler. libc takes it for
 * real, once it is free. Functions of stdio that take it themselves do so in no step; if another thread has it, they
 * wait here (unseen.c).
 */
#include "stream_lock.h"

struct stream_lock { /* libc's; struct mutex_state begins so, too */
	int32_t locked;
	int32_t count;
	void *owner;
};

static struct stream_lock *lock_of(const FILE *stream)
{
	return (struct stream_lock *)stream->_lock;
}

/* Owners are known to libc by their thread pointer. */
static bool is_mine(const struct stream_lock *l)
{
	return l->locked && l->owner == __builtin_thread_pointer();
}

static void acquire(const struct stream_lock *l)
{
	if (!is_mine(l) && !(alone() && !l->locked))
		object_step(LP_EV_LOCK, l, WAIT_MUTEX, false);
}

static void release(const struct stream_lock *l)
{
	if (!alone())
		object_step(LP_EV_UNLOCK, l, WAIT_NOT, false);
}

void i_flockfile(FILE *stream);
void i_flockfile(FILE *stream)
{
	if (active())
		acquire(lock_of(stream));
	real_flockfile(stream);
}

int i_ftrylockfile(FILE *stream);
int i_ftrylockfile(FILE *stream)
{
	if (active() && !alone() && !is_mine(lock_of(stream)))
		object_step(LP_EV_LOCK, lock_of(stream), WAIT_MUTEX, true);
	return real_ftrylockfile(stream);
}

void i_funlockfile(FILE *stream);
void i_funlockfile(FILE *stream)
{
	if (active() && is_mine(lock_of(stream)) && lock_of(stream)->count == 1)
		release(lock_of(stream));
	real_funlockfile(stream);
}

uintptr_t stream_used(const FILE *stream)
{
	const struct stream_lock *l = lock_of(stream);

	if (l->locked && !is_mine(l)) {
		acquire(l);
		release(l);
	}
	return (uintptr_t)l;
}

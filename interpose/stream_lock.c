/* SPDX-License-Identifier: MIT
 *
 * flockfile and its kin: the lock that libc keeps in a stream, which is a mutex to the scheduler. libc takes it for
 * real, once it is free. Functions of stdio that take it themselves do so in no step; if another thread has it, they
 * wait here (given.c).
 */
#include "stream_lock.h"
#include "../runtime/checkpoint.h"
#include "../runtime/unseen.h"

/* Part of the checkpoint. */
static struct {
	uint64_t locked_by, used_by; /* threads */
} streams;

void streams_checkpoint(void)
{
	checkpoint_add((uintptr_t)&streams, (uintptr_t)(&streams + 1));
}

/* Functions of stdio lock in no step, so an order in which they come between locks may be missed. */
static void both_ways(uint64_t *mine, uint64_t others)
{
	*mine |= bit(rt->cur->id);
	if (others & ~bit(rt->cur->id))
		unseen("a function of stdio uses a stream while another thread locks one (flockfile): that they wait for "
		       "each other is not explored",
		       NULL);
}

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
	if (!alone())
		both_ways(&streams.locked_by, streams.used_by);
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
	if (active() && !alone() && !is_mine(lock_of(stream))) {
		both_ways(&streams.locked_by, streams.used_by);
		object_step(LP_EV_LOCK, lock_of(stream), WAIT_MUTEX, true);
	}
	return real_ftrylockfile(stream);
}

void i_funlockfile(FILE *stream);
void i_funlockfile(FILE *stream)
{
	if (active() && is_mine(lock_of(stream)) && lock_of(stream)->count == 1)
		release(lock_of(stream));
	real_funlockfile(stream);
}

void stream_used(const FILE *stream)
{
	const struct stream_lock *l = lock_of(stream);

	if (alone() || is_mine(l))
		return;
	both_ways(&streams.used_by, streams.locked_by);
	if (l->locked) {
		object_step(LP_EV_LOCK, l, WAIT_MUTEX, false);
		release(l);
	}
}

extern FILE *_IO_list_all __attribute__((weak));

#define BY_CALLER 0x8000	  /* of a stream's flags: libc does not lock it */
#define OURS	  (int32_t)0x40000000 /* of a lock's count: that is not the program's wish */

void streams_unlocked(bool yes)
{
	for (FILE *f = &_IO_list_all ? _IO_list_all : NULL; f; f = f->_chain) {
		struct stream_lock *l = lock_of(f);

		if (yes && l && l->locked && !(f->_flags & BY_CALLER)) {
			f->_flags |= BY_CALLER;
			l->count |= OURS;
		} else if (!yes && l && l->count & OURS) {
			f->_flags &= ~BY_CALLER;
			l->count &= ~OURS;
		}
	}
}

/* SPDX-License-Identifier: MIT
 *
 * Threads: create, join, detach, exit, self, equal, yield; once; thread-specific data (its
 * destructors run when a fiber ends) and cleanup handlers. Creating a thread and joining a finished
 * one commute with everything else, so they are notes in the log, not steps.
 */
#include "../runtime/steps.h"
#include "interpose.h"

#include <errno.h>
#include <limits.h>

/* What libc's pthread_cleanup_push keeps on the stack (__pthread_unwind_buf_t): the beginning of
 * a jump buffer, without room for a signal mask, which is not saved; and four pointers for libc.
 * One of these is used here. */
struct cleanup {
	__jmp_buf jump;
	int mask_was_saved;
	struct cleanup *outer;
};
_Static_assert(sizeof(struct cleanup) <= sizeof(__pthread_unwind_buf_t),
	       "it must fit into what pthread_cleanup_push allocates");

int i_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
		     void *arg);
int i_pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*start)(void *),
		     void *arg)
{
	int detach = PTHREAD_CREATE_JOINABLE;
	struct fiber *f;

	if (!active())
		return real_pthread_create(thread, attr, start, arg);
	if (attr)
		real_pthread_attr_getdetachstate(attr, &detach);
	announce(LP_EV_CREATE, NULL, 0, caller());
	f = fiber_new(start, arg, detach == PTHREAD_CREATE_DETACHED);
	note(rt->cur, LP_EV_CREATE, 0, f->id);
	rt->unjoined++;
	set_tracing();
	rt->eager |= bit(f->id);
	*thread = (pthread_t)f->handle;
	return 0;
}

static int join(struct fiber *f, void **retval)
{
	struct fiber *me = rt->cur;

	if (f == me)
		return EDEADLK;
	if (f->detached || f->joined || f->joiner)
		return EINVAL;
	announce(LP_EV_JOIN, NULL, 0, caller())->wait = WAIT_JOIN;
	me->pending.expected = f->id;
	if (f->state != FIBER_FINISHED) {
		if (UNLIKELY(rt->blocks))
			steps_wait(me);
		f->joiner = me->id + 1;
		rt->blocked |= bit(me->id);
		schedule_blocked();
		rt->blocked &= ~bit(me->id);
	}
	f->joined = 1;
	settle();
	for (unsigned i = 0; i < rt->nfibers; i++)
		if (f->clock[i] > me->clock[i])
			me->clock[i] = f->clock[i];
	note(me, LP_EV_JOIN, 0, f->id);
	if (retval)
		*retval = f->retval;
	rt->unjoined--;
	set_tracing();
	return 0;
}

int i_pthread_join(pthread_t thread, void **retval);
int i_pthread_join(pthread_t thread, void **retval)
{
	struct fiber *f;

	if (!active())
		return real_pthread_join(thread, retval);
	f = fiber_of((uint64_t)thread);
	return f ? join(f, retval) : ESRCH;
}

int i_pthread_detach(pthread_t thread);
int i_pthread_detach(pthread_t thread)
{
	struct fiber *f;

	if (!active())
		return real_pthread_detach(thread);
	f = fiber_of((uint64_t)thread);
	if (!f)
		return ESRCH;
	if (f->detached || f->joined)
		return EINVAL;
	f->detached = 1;
	return 0;
}

/* Thread-specific data is in the donor's TLS, where libc keeps it; only the destructors are run
 * here. */
void thread_at_exit(void)
{
	bool again = true;

	if (real.call_tls_dtors)
		real.call_tls_dtors();
	for (int round = 0; again && round < PTHREAD_DESTRUCTOR_ITERATIONS; round++) {
		again = false;
		for (unsigned k = 0; k < MAX_KEYS; k++) {
			void *value;

			if (!program_state.key_destructors[k] ||
			    !(value = real_pthread_getspecific(k)))
				continue;
			real_pthread_setspecific(k, NULL);
			again = true;
			program_state.key_destructors[k](value);
		}
	}
	mutexes_of_ended();
}

int i_pthread_key_create(pthread_key_t *key, void (*destructor)(void *));
int i_pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	int r;

	/* libc must not run it: the donors' threads never end, and the end of the main thread is
	 * not the end of the program. */
	r = real_pthread_key_create(key, NULL);
	if (!r && *key < MAX_KEYS)
		program_state.key_destructors[*key] = destructor;
	return r;
}

int i_pthread_key_delete(pthread_key_t key);
int i_pthread_key_delete(pthread_key_t key)
{
	if (key < MAX_KEYS)
		program_state.key_destructors[key] = NULL;
	return real_pthread_key_delete(key);
}

void i___pthread_register_cancel(struct cleanup *buffer);
void i___pthread_register_cancel(struct cleanup *buffer)
{
	if (active()) {
		buffer->outer = rt->cur->cleanup;
		rt->cur->cleanup = buffer;
	}
}

void i___pthread_unregister_cancel(struct cleanup *buffer);
void i___pthread_unregister_cancel(struct cleanup *buffer)
{
	if (active())
		rt->cur->cleanup = buffer->outer;
}

/* Runs the innermost cleanup handler, which comes back through __pthread_unwind_next; ends the
 * thread if there is none. */
static __attribute__((noreturn)) void unwind(void)
{
	struct fiber *f = rt->cur;
	struct cleanup *buffer = f->cleanup;

	if (buffer) {
		f->cleanup = buffer->outer;
		real.siglongjmp((struct __jmp_buf_tag *)(void *)buffer, 1);
	}
	fiber_finish(f->retval);
}

void i___pthread_unwind_next(struct cleanup *buffer) __attribute__((noreturn));
void i___pthread_unwind_next(struct cleanup *buffer)
{
	(void)buffer;
	unwind();
}

void i_pthread_exit(void *retval) __attribute__((noreturn));
void i_pthread_exit(void *retval)
{
	if (!active())
		real_pthread_exit(retval);
	rt->cur->retval = retval;
	unwind();
}

pthread_t i_pthread_self(void);
pthread_t i_pthread_self(void)
{
	if (active())
		return (pthread_t)rt->cur->handle;
	return real_pthread_self();
}

int i_pthread_getattr_np(pthread_t thread, pthread_attr_t *attr);
int i_pthread_getattr_np(pthread_t thread, pthread_attr_t *attr)
{
	struct fiber *f;
	int r;

	if (!active())
		return real_pthread_getattr_np(thread, attr);
	f = fiber_of((uint64_t)thread);
	if (!f)
		return ESRCH;
	r = real_pthread_attr_init(attr);
	if (!r && f->detached)
		r = real_pthread_attr_setdetachstate(attr, PTHREAD_CREATE_DETACHED);
	if (!r)
		r = real_pthread_attr_setstack(attr, (void *)f->stack_lo,
					       f->stack_hi - f->stack_lo);
	return r ? r : real_pthread_attr_setguardsize(attr, PAGE);
}

int i_pthread_equal(pthread_t a, pthread_t b);
int i_pthread_equal(pthread_t a, pthread_t b)
{
	return a == b;
}

int i_sched_yield(void);
int i_sched_yield(void)
{
	if (!active())
		return (int)sys0(SYS_sched_yield);
	if (!alone()) {
		announce(LP_EV_YIELD, NULL, 0, caller());
		step(rt->cur);
	}
	return 0;
}

int i_pthread_once(pthread_once_t *once, void (*init)(void));
int i_pthread_once(pthread_once_t *once, void (*init)(void))
{
	if (!active())
		return real_pthread_once(once, init);
	if (alone() && *once != ONCE_RUNNING) {
		if (*once == ONCE_DONE)
			return 0;
	} else {
		struct event *e = object_step(LP_EV_ONCE, once, WAIT_ONCE, false);

		if (e->kind == LP_EV_READ)
			return 0;
	}
	*once = ONCE_RUNNING;
	init();
	if (!alone())
		object_step(LP_EV_UNLOCK, once, WAIT_NOT, false);
	*once = ONCE_DONE;
	return 0;
}

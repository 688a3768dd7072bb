/* SPDX-License-Identifier: MIT
 *
 * The end of a thread in the middle of it (pthread_exit, cancellation), and cleanup handlers.
 *
 * Frames are unwound as libc does, by _Unwind_ForcedUnwind() of libgcc, with destructors and cleanups of
 * code with exceptions on the way. Handlers of pthread_cleanup_push() in C are jump buffers, one
 * within the other; the innermost is entered when the frame that holds it has been left by the
 * unwinder, and comes back through __pthread_unwind_next(). Where libgcc is not loaded, no frame has
 * anything to be done, and there are only these.
 */
#include "unwind.h"
#include "sending.h"

#include <dlfcn.h>
#include <unwind.h>

/* What libc's pthread_cleanup_push keeps on the stack (__pthread_unwind_buf_t): the beginning of
 * a jump buffer, without room for a signal mask, which is not saved; and four pointers for libc.
 * One of these is used here. */
struct cleanup {
	__jmp_buf jump;
	int mask_was_saved;
	struct cleanup *outer;
	long type; /* of cancellation, to be put back; of the forms that set it */
};
_Static_assert(sizeof(struct cleanup) <= sizeof(__pthread_unwind_buf_t),
	       "it must fit into what pthread_cleanup_push allocates");

static struct {
	_Unwind_Reason_Code (*forced)(struct _Unwind_Exception *, _Unwind_Stop_Fn, void *);
	_Unwind_Word (*cfa)(struct _Unwind_Context *);
} unwinder;

/* Before executions. */
void unwinder_look_up(void)
{
	*(void **)&unwinder.forced = dlsym(RTLD_DEFAULT, "_Unwind_ForcedUnwind");
	*(void **)&unwinder.cfa = dlsym(RTLD_DEFAULT, "_Unwind_GetCFA");
}

static uintptr_t depth_of(const void *object)
{
	return stack_depth(rt->cur, (uintptr_t)object);
}

/* Of old programs, and of C++ without exceptions: a routine and its argument. */
static void run_routines(uintptr_t below)
{
	struct fiber *f = rt->cur;
	struct _pthread_cleanup_buffer *b;

	while ((b = f->routines) && depth_of(b) < below) {
		f->routines = b->__prev;
		call_back((uint64_t)b->__routine, (uint64_t)b->__arg, 0, 0);
	}
}

/* Initialisers that run in frames that have been left, before others take their place on the stack. */
static void leave_once(uintptr_t below)
{
	while (rt->cur->once && depth_of(rt->cur->once) < below)
		once_abandoned();
}

static __attribute__((noreturn)) void finish(void)
{
	struct fiber *f = rt->cur;

	leave_once(UINTPTR_MAX);
	run_routines(UINTPTR_MAX);
	if (in_child()) {
		keys_destroy();
		process_end_by_thread();
	}
	fiber_finish(f->retval);
}

static __attribute__((noreturn)) void jump(struct cleanup *buffer)
{
	leave_once(depth_of(buffer));
	alternate_left((uintptr_t)buffer);
	rt->cur->cleanup = buffer->outer;
	real.siglongjmp((struct __jmp_buf_tag *)(void *)buffer, 1);
}

/* The unwinder is about to leave a frame, whose stack pointer is the context's CFA. */
static _Unwind_Reason_Code stop(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
				struct _Unwind_Exception *exception,
				struct _Unwind_Context *context, void *unused)
{
	struct fiber *f = rt->cur;
	uintptr_t at = unwinder.cfa(context), sp = stack_depth(f, at);
	bool last = actions & _UA_END_OF_STACK || sp >= f->outermost;

	(void)version;
	(void)class;
	(void)exception;
	(void)unused;
	leave_once(sp);
	if (!f->cleanup || (!last && sp <= depth_of(f->cleanup)))
		run_routines(sp);
	if (f->cleanup && (last || sp > depth_of(f->cleanup)))
		jump(f->cleanup);
	alternate_left(at);
	if (last)
		finish();
	return _URC_NO_REASON;
}

static void not_rethrown(_Unwind_Reason_Code reason, struct _Unwind_Exception *exception)
{
	(void)reason;
	(void)exception;
	end_execution(LP_OUT_ABORT, SIGABRT, caller(), "the end of a thread was caught and not "
						       "thrown again");
}

static __attribute__((noreturn)) void unwind(void)
{
	struct fiber *f = rt->cur;

	if (unwinder.forced && unwinder.cfa) {
		f->unwinding.exception_class = 0;
		f->unwinding.exception_cleanup = not_rethrown;
		unwinder.forced(&f->unwinding, stop, NULL);
	}
	if (f->cleanup)
		jump(f->cleanup);
	finish();
}

void end_thread(void *retval)
{
	rt->cur->retval = retval;
	rt->cur->ending = 1;
	unwind();
}

void i___pthread_register_cancel(struct cleanup *buffer);
void i___pthread_register_cancel(struct cleanup *buffer)
{
	if (kept_here()) {
		cancel_first();
		buffer->outer = rt->cur->cleanup;
		rt->cur->cleanup = buffer;
	}
}

void i___pthread_unregister_cancel(struct cleanup *buffer);
void i___pthread_unregister_cancel(struct cleanup *buffer)
{
	if (kept_here()) {
		cancel_first();
		rt->cur->cleanup = buffer->outer;
	}
}

/* The forms of pthread_cleanup_push_defer_np: while the handler is there, cancellation is deferred. */
void i___pthread_register_cancel_defer(struct cleanup *buffer);
void i___pthread_register_cancel_defer(struct cleanup *buffer)
{
	int type;

	i___pthread_register_cancel(buffer);
	i_pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &type);
	buffer->type = type;
}

void i___pthread_unregister_cancel_restore(struct cleanup *buffer);
void i___pthread_unregister_cancel_restore(struct cleanup *buffer)
{
	i___pthread_unregister_cancel(buffer);
	i_pthread_setcanceltype((int)buffer->type, NULL);
}

void i___pthread_unwind_next(struct cleanup *buffer) __attribute__((noreturn));
void i___pthread_unwind_next(struct cleanup *buffer)
{
	(void)buffer;
	unwind();
}

void i__pthread_cleanup_push(struct _pthread_cleanup_buffer *b, void (*routine)(void *), void *arg);
void i__pthread_cleanup_push(struct _pthread_cleanup_buffer *b, void (*routine)(void *), void *arg)
{
	b->__routine = routine;
	b->__arg = arg;
	if (!kept_here())
		return;
	cancel_first();
	b->__prev = rt->cur->routines;
	rt->cur->routines = b;
}

void i__pthread_cleanup_pop(struct _pthread_cleanup_buffer *b, int execute);
void i__pthread_cleanup_pop(struct _pthread_cleanup_buffer *b, int execute)
{
	if (kept_here()) {
		cancel_first();
		rt->cur->routines = b->__prev;
	}
	if (execute)
		call_back((uint64_t)b->__routine, (uint64_t)b->__arg, 0, 0);
}

void i__pthread_cleanup_push_defer(struct _pthread_cleanup_buffer *b, void (*routine)(void *), void *arg);
void i__pthread_cleanup_push_defer(struct _pthread_cleanup_buffer *b, void (*routine)(void *), void *arg)
{
	i__pthread_cleanup_push(b, routine, arg);
	i_pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &b->__canceltype);
}

void i__pthread_cleanup_pop_restore(struct _pthread_cleanup_buffer *b, int execute);
void i__pthread_cleanup_pop_restore(struct _pthread_cleanup_buffer *b, int execute)
{
	i_pthread_setcanceltype(b->__canceltype, NULL);
	i__pthread_cleanup_pop(b, execute);
}

void i_pthread_exit(void *retval) __attribute__((noreturn));
void i_pthread_exit(void *retval)
{
	if (!kept_here())
		real_pthread_exit(retval);
	end_thread(retval);
}

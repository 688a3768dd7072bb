/* SPDX-License-Identifier: MIT
 *
 * What the target's threads send to each other: a signal that has a handler, and cancellation.
 */
#define _GNU_SOURCE
#include "target_calls.h"

#include <signal.h>
#include <unistd.h>

static pthread_t main_thread;

QUIET void sent_start(const struct program *p, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = p->restarts ? SA_RESTART : 0 };

	main_thread = pthread_self();
	if (program_has(p, OP_KILL, OP_PAUSE))
		sigaction(SIGUSR2, &action, NULL);
}

static QUIET pthread_t thread_of(unsigned t)
{
	return t ? call_handle(t) : main_thread;
}

static QUIET int block(bool yes)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return pthread_sigmask(yes ? SIG_BLOCK : SIG_UNBLOCK, &set, NULL);
}

QUIET int call_sent(const struct op *o, unsigned nthreads)
{
	switch (o->what) {
	case OP_KILL:
		return pthread_kill(thread_of(o->object % nthreads), SIGUSR2) != 0;
	case OP_RAISE:
		return raise(SIGUSR2);
	case OP_MASK:
		return block(o->value);
	case OP_PAUSE:
		pause();
		return 0;
	case OP_CANCEL:
		return pthread_cancel(thread_of(o->object % nthreads)) != 0;
	case OP_CANCEL_STATE:
		return pthread_setcancelstate(o->value ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE, NULL);
	case OP_CANCEL_TYPE:
		return pthread_setcanceltype(o->value ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED, NULL);
	default:
		pthread_testcancel();
		return 0;
	}
}

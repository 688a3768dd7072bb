/* SPDX-License-Identifier: MIT
 *
 * What the target's threads send to each other: a signal that has a handler, also by a timer, and cancellation.
 */
#define _GNU_SOURCE
#include "target_calls.h"

#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static pthread_t main_thread;
static enum { BY_ALARM, BY_INTERVAL, BY_TIMER } how;
static timer_t timer;

QUIET void sent_start(const struct program *p, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = p->restarts ? SA_RESTART : 0 };

	main_thread = pthread_self();
	if (program_has(p, OP_KILL, OP_ALARM))
		sigaction(SIGUSR2, &action, NULL);
	if (!program_has(p, OP_ALARM, OP_ALARM))
		return;
	sigaction(SIGALRM, &action, NULL);
	how = p->api == API_POSIX ? BY_ALARM : p->event_counts ? BY_INTERVAL : BY_TIMER;
	if (how == BY_TIMER)
		timer_create(CLOCK_MONOTONIC, NULL, &timer);
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

static QUIET int suspend(bool blocked)
{
	sigset_t set;

	pthread_sigmask(SIG_SETMASK, NULL, &set);
	if (blocked)
		sigaddset(&set, SIGUSR2);
	else
		sigdelset(&set, SIGUSR2);
	sigsuspend(&set);
	return 0;
}

/* Was it set? */
static QUIET int set_alarm(bool on)
{
	const struct itimerval value = { .it_value.tv_sec = on };
	const struct itimerspec spec = { .it_value.tv_sec = on };
	struct itimerval old = { .it_value.tv_sec = 0 };
	struct itimerspec before = { .it_value.tv_sec = 0 };

	switch (how) {
	case BY_ALARM:
		return alarm(on) != 0;
	case BY_INTERVAL:
		setitimer(ITIMER_REAL, &value, &old);
		return old.it_value.tv_sec || old.it_value.tv_usec;
	default:
		timer_settime(timer, 0, &spec, &before);
		return before.it_value.tv_sec || before.it_value.tv_nsec;
	}
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
	case OP_SUSPEND:
		return suspend(o->value);
	case OP_ALARM:
		return set_alarm(o->value);
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

/* SPDX-License-Identifier: MIT
 *
 * Signal handlers and masks: sigaction, signal, sigprocmask, pthread_sigmask. There is one real
 * thread, so there is one mask. The signals that tell the runtime of crashes and hangs stay its
 * own. At the end of an execution the handlers and the mask are restored.
 */
#include "../runtime/trace.h"
#include "../runtime/watchdog.h"
#include "interpose.h"

#include <errno.h>
#include <signal.h>

#define LIBC_SIGNAL 32 /* and the next one: libc never lets a program block them */

/* What an execution has changed, with the values before it. */
static struct {
	uint64_t handlers; /* bit sig - 1 */
	struct sigaction actions[64];
	bool masked;
	uint64_t mask;
} changed;

static void keep_mask(void)
{
	if (!active() || changed.masked)
		return;
	changed.masked = true;
	sys4(SYS_rt_sigprocmask, SIG_BLOCK, 0, &changed.mask, sizeof changed.mask);
}

static void keep_action(int sig)
{
	if (!active() || sig < 1 || sig > 64 || changed.handlers >> (sig - 1) & 1)
		return;
	keep_mask(); /* inside a handler the mask is another one */
	if (!real_sigaction(sig, NULL, &changed.actions[sig - 1]))
		changed.handlers |= 1UL << (sig - 1);
}

void signals_rollback(void)
{
	for (; changed.handlers; changed.handlers &= changed.handlers - 1) {
		int sig = __builtin_ctzll(changed.handlers) + 1;

		real_sigaction(sig, &changed.actions[sig - 1], NULL);
	}
	if (changed.masked)
		sys4(SYS_rt_sigprocmask, SIG_SETMASK, &changed.mask, 0, sizeof changed.mask);
	changed.masked = false;
}

bool signals_changed(void)
{
	return changed.handlers || changed.masked;
}

/* The signals that tell the runtime of crashes. */
static bool ours(int sig)
{
	return sig == SIGSEGV || sig == SIGBUS || sig == SIGFPE || sig == SIGILL ||
	       sig == SIGABRT || sig == SIGTRAP;
}

/* They must not be blocked: a trap of ours, or a crash, would then end the process. */
static void keep_ours(sigset_t *set)
{
	for (int sig = 1; sig <= 64; sig++)
		if (ours(sig) || sig == WATCHDOG_SIGNAL || sig == LIBC_SIGNAL ||
		    sig == LIBC_SIGNAL + 1)
			set->__val[0] &= ~(1UL << (sig - 1));
}

int i_sigaction(int sig, const struct sigaction *act, struct sigaction *old);
int i_sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	if (active() && act && ours(sig)) {
		trace_note("the program's handler for a crash signal was not installed: a crash is "
			   "an outcome");
		if (old)
			zero(old, sizeof *old);
		return 0;
	}
	if (act) {
		struct sigaction kept = *act;

		keep_action(sig);
		keep_ours(&kept.sa_mask);
		return real_sigaction(sig, &kept, old);
	}
	return real_sigaction(sig, act, old);
}

/* 0, or a negative errno */
static long change_mask(int how, const sigset_t *set, sigset_t *old)
{
	sigset_t kept;

	if (set)
		keep_mask();
	if (set && how != SIG_UNBLOCK) {
		kept = *set;
		keep_ours(&kept);
		set = &kept;
	}
	return sys4(SYS_rt_sigprocmask, how, (long)set, (long)old, _NSIG / 8);
}

int i_pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
int i_pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return (int)-change_mask(how, set, old);
}

int i_sigprocmask(int how, const sigset_t *set, sigset_t *old);
int i_sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	long r = change_mask(how, set, old);

	if (!r)
		return 0;
	real_init();
	return fail((int)-r);
}

typedef void (*handler)(int);

handler i_signal(int sig, handler h);
handler i_signal(int sig, handler h)
{
	struct sigaction act, old;

	zero(&act, sizeof act);
	act.sa_handler = h;
	act.sa_flags = SA_RESTART;
	return i_sigaction(sig, &act, &old) ? SIG_ERR : old.sa_handler;
}

/* SPDX-License-Identifier: MIT
 *
 * The older functions on signals, of System V and BSD: sigaction and sigprocmask by other names.
 */
#include "sending.h"

#include <errno.h>

typedef void (*handler)(int);

int i_sigaction(int sig, const struct sigaction *act, struct sigaction *old);
int i_sigprocmask(int how, const sigset_t *set, sigset_t *old);
int i_sigsuspend(const sigset_t *set);
handler i_signal(int sig, handler h);
int i_raise(int sig);

static int act_by(int sig, handler h, int flags, handler *old)
{
	struct sigaction act, before;
	int r;

	zero(&act, sizeof act);
	act.sa_handler = h;
	act.sa_flags = flags;
	r = i_sigaction(sig, &act, &before);
	if (!r && old)
		*old = before.sa_handler;
	return r;
}

static int mask_one(int how, int sig, bool *before)
{
	sigset_t set, old;
	int r;

	if (!sig_valid(sig))
		return fail(EINVAL);
	zero(&set, sizeof set);
	set.__val[0] = sig_bit(sig);
	r = i_sigprocmask(how, &set, &old);
	if (before)
		*before = old.__val[0] & sig_bit(sig);
	return r;
}

/* The mask of the thread without the signal, while it waits. */
static int wait_without(int sig)
{
	sigset_t set;

	if (!sig_valid(sig))
		return fail(EINVAL);
	if (i_sigprocmask(SIG_BLOCK, NULL, &set))
		return -1;
	set.__val[0] &= ~sig_bit(sig);
	return i_sigsuspend(&set);
}

int i_sighold(int sig);
int i_sighold(int sig)
{
	return mask_one(SIG_BLOCK, sig, NULL);
}

int i_sigrelse(int sig);
int i_sigrelse(int sig)
{
	return mask_one(SIG_UNBLOCK, sig, NULL);
}

int i_sigignore(int sig);
int i_sigignore(int sig)
{
	return act_by(sig, SIG_IGN, 0, NULL);
}

/* SIG_HOLD blocks the signal and leaves its handler; all others unblock it. */
handler i_sigset(int sig, handler h);
handler i_sigset(int sig, handler h)
{
	struct sigaction now;
	handler old;
	bool blocked;

	if (!sig_valid(sig) || h == SIG_ERR) {
		fail(EINVAL);
		return SIG_ERR;
	}
	if (h == SIG_HOLD) {
		if (i_sigaction(sig, NULL, &now) || mask_one(SIG_BLOCK, sig, &blocked))
			return SIG_ERR;
		return blocked ? SIG_HOLD : now.sa_handler;
	}
	if (act_by(sig, h, 0, &old) || mask_one(SIG_UNBLOCK, sig, &blocked))
		return SIG_ERR;
	return blocked ? SIG_HOLD : old;
}

int i_siginterrupt(int sig, int interrupts);
int i_siginterrupt(int sig, int interrupts)
{
	struct sigaction act;

	if (i_sigaction(sig, NULL, &act))
		return -1;
	act.sa_flags = interrupts ? act.sa_flags & ~SA_RESTART : act.sa_flags | SA_RESTART;
	return i_sigaction(sig, &act, NULL);
}

handler i_sysv_signal(int sig, handler h);
handler i_sysv_signal(int sig, handler h)
{
	handler old;

	if (h == SIG_ERR) {
		fail(EINVAL);
		return SIG_ERR;
	}
	return act_by(sig, h, (int)(SA_RESETHAND | SA_NODEFER), &old) ? SIG_ERR : old;
}

handler i___sysv_signal(int sig, handler h);
handler i___sysv_signal(int sig, handler h)
{
	return i_sysv_signal(sig, h);
}

handler i_ssignal(int sig, handler h);
handler i_ssignal(int sig, handler h)
{
	return i_signal(sig, h);
}

int i_gsignal(int sig);
int i_gsignal(int sig)
{
	return i_raise(sig);
}

/* Masks of 32 signals. */
static int mask_many(int how, int mask)
{
	sigset_t set, old;

	zero(&set, sizeof set);
	set.__val[0] = (unsigned)mask;
	return i_sigprocmask(how, how == SIG_BLOCK && !mask ? NULL : &set, &old) ? -1 : (int)old.__val[0];
}

int i_sigblock(int mask);
int i_sigblock(int mask)
{
	return mask_many(SIG_BLOCK, mask);
}

int i_sigsetmask(int mask);
int i_sigsetmask(int mask)
{
	return mask_many(SIG_SETMASK, mask);
}

int i_siggetmask(void);
int i_siggetmask(void)
{
	return mask_many(SIG_BLOCK, 0);
}

/* The header makes the calls of programs the second one, which names a signal; the first takes a mask. */
int i___xpg_sigpause(int sig);
int i___xpg_sigpause(int sig)
{
	return wait_without(sig);
}

int i_sigpause(int mask);
int i_sigpause(int mask)
{
	sigset_t set;

	zero(&set, sizeof set);
	set.__val[0] = (unsigned)mask;
	return i_sigsuspend(&set);
}

/* SPDX-License-Identifier: MIT
 *
 * Waiting for signals: sigwait and its kin, pause, sigsuspend.
 */
#include "clock.h"
#include "sending.h"

#include <errno.h>

/* The signal that came, or a negative error. */
int signal_wait(const sigset_t *set, siginfo_t *info, bool attempt, unsigned interrupt)
{
	struct fiber *f = rt->cur;
	struct pending *p;
	struct sent s;
	siginfo_t said;
	int i = -1, kind;

	if (alone()) {
		i = sent_to(f, set->__val[0]);
		if (i < 0 && attempt)
			return -EAGAIN;
	}
	if (!alone() || i < 0) {
		sends(SENDS_SIGNALS);
		p = announce(LP_EV_WAKE, (void *)SENT_THREAD(f), 1, caller());
		p->flags = LP_SITE_NOVALUE;
		p->wait = WAIT_SIGNAL;
		p->attempt = attempt;
		p->expected = set->__val[0];
		interruptible(p, interrupt);
		p->own = OWN_LOOKS;
		signal_waited(p->expected);
		kind = step(f)->kind;
		p->wait = WAIT_NOT;
		i = sent_to(f, set->__val[0]);
		if (i < 0)
			return attempt && kind != LP_EV_TAKE ? -EAGAIN : -EINTR;
	}
	s = signal_dequeued(i, &said);
	if (info)
		*info = said;
	return s.signal;
}

/* As libc tells it. */
static int with_info(int r, siginfo_t *info)
{
	if (r >= 0 && info && info->si_code == SI_TKILL)
		info->si_code = SI_USER;
	return r < 0 ? fail(-r) : r;
}

int i_sigwait(const sigset_t *set, int *sig);
int i_sigwait(const sigset_t *set, int *sig)
{
	int r;

	if (!active())
		return real_sigwait(set, sig);
	while ((r = signal_wait(set, NULL, false, BY_CANCEL | BY_ANY_SIGNAL)) == -EINTR)
		;
	if (r < 0)
		return -r;
	*sig = r;
	return 0;
}

int i_sigwaitinfo(const sigset_t *set, siginfo_t *info);
int i_sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	int r;

	if (!active())
		return real_sigwaitinfo(set, info);
	signals_first();
	r = signal_wait(set, info, false, BY_CANCEL | BY_ANY_SIGNAL);
	return with_info(r, info);
}

int i_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *t);
int i_sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *t)
{
	const bool waits = !t || t->tv_sec || t->tv_nsec;
	const unsigned interrupt = waits ? BY_CANCEL | BY_ANY_SIGNAL : BY_CANCEL;
	struct timespec until;
	uint32_t handlers;
	int r;

	if (!active())
		return real_sigtimedwait(set, info, t);
	if (t && (!valid_time(t) || t->tv_sec < 0))
		return fail(EINVAL);
	if (t)
		until = moment(time_after(time_now(), t));
	signals_first();
	handlers = rt->cur->handlers;
	if (t)
		time_due(&until);
	do
		r = interrupted_since(handlers, interrupt) ? -EINTR : signal_wait(set, info, t != NULL, interrupt);
	while (r == -EAGAIN && wait_again(&until));
	rt->cur->due = 0;
	return with_info(r, info);
}

/* Until a handler has run. */
static int wait_for_handler(void)
{
	struct fiber *f = rt->cur;
	struct pending *p;

	p = announce(LP_EV_YIELD, NULL, 0, caller());
	p->wait = WAIT_HANDLER;
	interruptible(p, BY_CANCEL | BY_SIGNAL | BY_ANY_SIGNAL);
	step(f);
	return fail(EINTR);
}

int i_pause(void);
int i_pause(void)
{
	if (!active())
		return real_pause();
	sends(SENDS_SIGNALS);
	signals_first();
	return wait_for_handler();
}

int i_sigsuspend(const sigset_t *set);
int i_sigsuspend(const sigset_t *set)
{
	struct fiber *f = rt_there ? rt->cur : NULL;
	uint64_t mask;

	if (!active())
		return real_sigsuspend(set);
	sends(SENDS_SIGNALS);
	send_step(SENT_PROCESS);
	mask = f->mask;
	f->mask = sigs_blocked(set);
	wait_for_handler();
	send_step(SENT_PROCESS);
	f->mask = mask;
	return fail(EINTR);
}

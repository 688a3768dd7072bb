/* SPDX-License-Identifier: MIT
 *
 * What threads send to each other: signals and cancellation.
 */
#ifndef LP_SENDING_H
#define LP_SENDING_H

#include "interpose.h"

#include <signal.h>

#define LIBC_SIGNAL 32 /* and the next one: libc never lets a program block them */
#define LAST_SIGNAL 64

static inline uint64_t sig_bit(int sig)
{
	return 1UL << (sig - 1);
}

static inline bool sig_valid(int sig)
{
	return sig >= 1 && sig <= LAST_SIGNAL && sig != LIBC_SIGNAL && sig != LIBC_SIGNAL + 1;
}

/* What a thread blocks if it says that it blocks these. */
static inline uint64_t sigs_blocked(const sigset_t *set)
{
	return set->__val[0] & ~(sig_bit(SIGKILL) | sig_bit(SIGSTOP) | sig_bit(LIBC_SIGNAL) |
				 sig_bit(LIBC_SIGNAL + 1));
}

/* From now on executions are searched with such events (SENDS_*); when that is first seen, the
 * exploration begins again. */
void sends(unsigned what);

/* A step that others see, at this place. */
void send_step(uint64_t place);

/* A signal comes to the fiber, or to the process (NULL); no step. */
void signal_comes(const struct fiber *to, int sig, int code, uint64_t value);

/* The same from a timer, whose number is from 1. False: it is ignored. */
bool timer_signal_comes(const struct fiber *to, int sig, uint64_t value, unsigned timer);

/* sigwait.c: waits for one of these, or not. `interrupt`: what ends that (enum interrupt). The signal, or a negative
 * error. */
int signal_wait(const sigset_t *set, siginfo_t *info, bool attempt, unsigned interrupt);

/* The running fiber gets the i-th that was sent, and what is said of it. */
struct sent signal_dequeued(int i, siginfo_t *info);

/* The running fiber is about to make a call that a handler would interrupt: a handler may also run before that.
 * A signal that comes then is no reason for the call not to wait. */
void signals_first(void);

/* Where it may be cancelled at any time: it is about to say otherwise, or what is to be done then, so it may be before that. */
void cancel_first(void);

/* What the running fiber can take, it takes at once. Has a handler run? */
bool take_now(void);

/* Has one run since there were so many, and ended such a call (enum interrupt)? */
bool interrupted_since(uint32_t handlers, unsigned interrupt);

/* wait.c: it has just waited for another process, which may have sent signals before. */
void signals_of_others(void);

/* The running fiber is cancelled: it ends. */
void cancelled(void) __attribute__((noreturn));

/* A cancellation point without a step of its own. */
void cancellation_point(void);

/* signal.c: the handler of this signal runs, or what the system does without one. The flags of its
 * action. */
int signal_taken(const struct sent *s, siginfo_t *info);

bool signal_has_handler(int sig);
bool signals_caught(void); /* has any a handler? */

/* alternate.c: a handler runs, with three arguments, on the alternate stack if that is there and it wants that. */
void handler_runs(uint64_t handler, const uint64_t *arguments, bool aside);

/* timer.c: the earliest timer that has not run out; false: there is none before this. `sleeping`: the time that
 * passes is not of a processor. */
bool timer_before(uint64_t then, uint64_t *when, bool sleeping);
bool timers_run_out(uint64_t now, bool sleeping); /* those up to now do; true: a thread waits for one of them */
void timers_sleep(uint64_t us);                   /* so long */
int timer_signal_taken(unsigned timer);           /* how often more it had run out */

#endif

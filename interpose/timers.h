/* SPDX-License-Identifier: MIT
 *
 * Timers, in virtual time: those that send signals (timer.c), make threads (notice.c), or are descriptors
 * (timer_descriptor.c).
 */
#ifndef LP_TIMERS_H
#define LP_TIMERS_H

#include "channels.h"
#include "clock.h"
#include "sending.h"

#define MAX_TIMERS 32
enum { TIMER_REAL, TIMER_VIRTUAL, TIMER_PROF, FIRST_TIMER }; /* the first are alarm's and setitimer's */

/* What becomes a thread: SIGEV_THREAD. */
struct notice {
	void *(*function)(void *); /* NULL: nothing does */
	void *value;
	pthread_attr_t attr;
};
void notice_of(struct notice *n, const struct sigevent *event);
void notice_comes(const struct notice *n); /* the running fiber makes the thread */

struct timer {
	bool made, armed;
	bool processor;          /* of processor time, which does not pass while a thread sleeps */
	bool queued;             /* it has run out, and nobody has taken that */
	uint64_t when, interval; /* nanoseconds */
	int sig;                 /* 0: it sends nothing */
	uint64_t value;
	int thread;              /* fiber; -1: the process */
	int overrun;             /* how often more it had run out when that was taken last */
	unsigned channel;        /* of a timer that is a descriptor, or makes threads; 0 */
	int fd;                  /* an end of that, an event, to which it writes; -1: none */
	struct notice notice;
	uint64_t pc;             /* where it was made */
	uint32_t context;
};

struct timer *timer_new(void); /* one that is not made yet; NULL: there is none */
void timer_gone(struct timer *t);
struct timer *timer_on(unsigned channel); /* that has it, or NULL */
struct timer *timer_at(uint64_t number);  /* NULL: it is not made */
uint64_t timer_number(const struct timer *t);

/* Steps: it is set, or ALL_TIMERS get one more or less; somebody looks at it. */
#define ALL_TIMERS MAX_TIMERS
void timer_changes(uint64_t number);
void timer_looked_at(uint64_t number);

/* Is there time in it as libc wants it? Then as nanoseconds, and as the program is told it. */
bool valid_timer(const struct itimerspec *new);
void timer_set(struct timer *t, bool is_moment, const struct itimerspec *new);
void timer_tell(const struct timer *t, struct itimerspec *now);

/* What has run out is taken: it goes on from now. */
void timer_taken(struct timer *t);

/* notice.c: the fiber that makes the threads of the timer. Has it something to do? */
void timer_thread_begins(struct timer *t);

#endif

/* SPDX-License-Identifier: MIT
 *
 * timer_create and its kin; see timer.c.
 */
#include "timers.h"

#include <errno.h>

/* 0 or an error: what it does when it runs out. */
static int notifies_by(struct timer *t, const struct sigevent *event)
{
	const struct fiber *f;

	t->value = (uint64_t)event->sigev_value.sival_ptr;
	switch (event->sigev_notify) {
	case SIGEV_NONE:
		return 0;
	case SIGEV_THREAD:
		notice_of(&t->notice, event);
		return 0;
	case SIGEV_THREAD_ID:
		f = fiber_of_id(event->_sigev_un._tid);
		if (!f)
			return EINVAL;
		t->thread = f->id;
		break;
	case SIGEV_SIGNAL:
		break;
	default:
		return EINVAL;
	}
	t->sig = event->sigev_signo;
	return t->sig < 1 || t->sig > LAST_SIGNAL ? EINVAL : 0;
}

int i_timer_create(clockid_t clock, struct sigevent *event, timer_t *id);
int i_timer_create(clockid_t clock, struct sigevent *event, timer_t *id)
{
	struct timer *t;
	int error = 0;

	if (!active())
		return real_timer_create(clock, event, id);
	if (!clock_to_wait(clock) && clock != CLOCK_BOOTTIME && clock != CLOCK_TAI && !clock_of_processor(clock))
		return fail(EINVAL);
	timer_changes(ALL_TIMERS);
	t = timer_new();
	if (!t)
		return fail(EAGAIN);
	t->processor = clock_of_processor(clock);
	t->sig = event ? 0 : SIGALRM;
	t->value = timer_number(t);
	if (event)
		error = notifies_by(t, event);
	if (error) {
		timer_gone(t);
		return fail(error);
	}
	if (t->notice.function)
		timer_thread_begins(t);
	*id = (timer_t)timer_number(t);
	return 0;
}

/* After a step on it, also if it is not there: it may be in another order. */
static struct timer *timer_of(timer_t id, void (*step_on)(uint64_t))
{
	const uint64_t number = (uintptr_t)id;
	struct timer *t;

	if (number < FIRST_TIMER || number >= MAX_TIMERS)
		return NULL;
	step_on(number);
	t = timer_at(number);
	return t && t->fd < 0 ? t : NULL;
}

int i_timer_gettime(timer_t id, struct itimerspec *now);
int i_timer_gettime(timer_t id, struct itimerspec *now)
{
	struct timer *t;

	if (!active())
		return real_timer_gettime(id, now);
	t = timer_of(id, timer_looked_at);
	if (!t)
		return fail(EINVAL);
	timer_tell(t, now);
	return 0;
}

int i_timer_settime(timer_t id, int flags, const struct itimerspec *new, struct itimerspec *old);
int i_timer_settime(timer_t id, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	struct timer *t;

	if (in_child() && flags & TIMER_ABSTIME)
		return real_timer_settime(id, flags & ~TIMER_ABSTIME, child_timer(new, &(struct itimerspec){ 0 }), old);
	if (!active())
		return real_timer_settime(id, flags, new, old);
	t = timer_of(id, timer_changes);
	if (!t || !valid_timer(new))
		return fail(EINVAL);
	if (old)
		timer_tell(t, old);
	timer_set(t, flags & TIMER_ABSTIME, new);
	return 0;
}

int i_timer_getoverrun(timer_t id);
int i_timer_getoverrun(timer_t id)
{
	const struct timer *t;

	if (!active())
		return real_timer_getoverrun(id);
	t = timer_of(id, timer_looked_at);
	return t ? t->overrun : fail(EINVAL);
}

int i_timer_delete(timer_t id);
int i_timer_delete(timer_t id)
{
	struct timer *t;

	if (!active())
		return real_timer_delete(id);
	timer_changes(ALL_TIMERS);
	t = timer_of(id, timer_changes);
	if (!t)
		return fail(EINVAL);
	timer_gone(t);
	return 0;
}

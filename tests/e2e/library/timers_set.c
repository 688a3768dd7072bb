/* SPDX-License-Identifier: MIT
 *
 * One thread sets a timer and another stops or deletes it, so it may be set in the end; or one looks at a timer that is a
 * descriptor while another sets it. WRONG: taken for stopped.
 */
#include "what.h"

#include <sys/time.h>

static timer_t timer;
static int descriptor, failed;

static void *alarm_on(void *arg) { alarm(10); return arg; }
static void *alarm_off(void *arg) { alarm(0); return arg; }
static void by_alarm(void)
{
	both(alarm_on, alarm_off);
	assert(!wrong || !alarm(0));
}

static void interval(int seconds)
{
	const struct itimerval t = { .it_value.tv_sec = seconds };

	setitimer(ITIMER_REAL, &t, NULL);
}
static void *interval_on(void *arg) { interval(10); return arg; }
static void *interval_off(void *arg) { interval(0); return arg; }
static void by_interval(void)
{
	struct itimerval t;

	both(interval_on, interval_off);
	getitimer(ITIMER_REAL, &t);
	assert(!wrong || !t.it_value.tv_sec);
}

static const struct itimerspec ten = { .it_value.tv_sec = 10 }, none;
static void *timer_on(void *arg) { failed = timer_settime(timer, 0, &ten, NULL); return arg; }
static void *timer_off(void *arg) { timer_settime(timer, 0, &none, NULL); return arg; }
static void *timer_gone(void *arg) { timer_delete(timer); return arg; }
static void by_timer(void)
{
	struct itimerspec t;

	timer_create(CLOCK_MONOTONIC, NULL, &timer);
	both(timer_on, timer_off);
	timer_gettime(timer, &t);
	assert(!wrong || !t.it_value.tv_sec);
}
static void deleted(void)
{
	timer_create(CLOCK_MONOTONIC, NULL, &timer);
	both(timer_on, timer_gone);
	assert(!wrong || !failed);
}

static void *descriptor_on(void *arg) { timerfd_settime(descriptor, 0, &ten, NULL); return arg; }
static void *looks(void *arg)
{
	struct pollfd p = { descriptor, POLLIN, 0 };

	poll(&p, 1, 0);
	return arg;
}
static void looked_at(void)
{
	descriptor = timerfd_create(CLOCK_MONOTONIC, 0);
	both(descriptor_on, looks);
}

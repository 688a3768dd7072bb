/* SPDX-License-Identifier: MIT
 *
 * Timers that are descriptors, epoll, and which numbers descriptors get.
 */
#define _GNU_SOURCE
#include "target_calls.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

static int timer, epoll;
static int copied, first; /* a descriptor to copy; the numbers from here on are free */

QUIET void descriptors_start(const struct program *p)
{
	if (program_has(p, OP_TIMER_SET, OP_TIMER_GET))
		timer = timerfd_create(CLOCK_MONOTONIC, 0);
	if (program_has(p, OP_EPOLL_ADD, OP_EPOLL_WAIT))
		epoll = epoll_create1(0);
	if (!program_has(p, OP_NUMBER_DUP, OP_NUMBER_CLOSE))
		return;
	copied = eventfd(0, 0);
	first = dup(copied);
	if (timer < 0 || epoll < 0 || first < 0 || close(first))
		abort();
}

static QUIET int set_timer(bool on)
{
	const struct itimerspec t = { .it_value.tv_sec = on ? 100 : 0 };

	return timerfd_settime(timer, 0, &t, NULL);
}

static QUIET int get_timer(void)
{
	uint64_t n = 0;

	return read(timer, &n, sizeof n) < 0 ? 9 : (int)n;
}

static QUIET int change(int how, unsigned channel, bool once)
{
	struct epoll_event e = { .events = EPOLLIN | (once ? EPOLLONESHOT : 0), .data.u32 = 1U << channel };

	return epoll_ctl(epoll, how, channel_end(channel), &e) ? 9 : 0;
}

static QUIET int wait_for_any(bool longer)
{
	struct epoll_event e[2];
	int n = epoll_wait(epoll, e, 2, longer ? -1 : 0), which = n < 0 ? 7 : 0;

	for (int i = 0; i < n; i++)
		which |= (int)e[i].data.u32;
	return which;
}

static QUIET int new_pipe(void)
{
	int ends[2];

	return pipe(ends) ? 99 : ends[0] - first;
}

QUIET int call_descriptor(const struct op *o)
{
	const int number = first + o->object + 2 * o->value;

	switch (o->what) {
	case OP_TIMER_SET:
		return set_timer(o->value);
	case OP_TIMER_GET:
		return get_timer();
	case OP_EPOLL_ADD:
		return change(EPOLL_CTL_ADD, o->object, o->value);
	case OP_EPOLL_MOD:
		return change(EPOLL_CTL_MOD, o->object, o->value);
	case OP_EPOLL_DEL:
		return change(EPOLL_CTL_DEL, o->object, false);
	case OP_EPOLL_WAIT:
		return wait_for_any(o->value);
	case OP_NUMBER_DUP:
		return dup(copied) - first;
	case OP_NUMBER_PIPE:
		return new_pipe();
	case OP_NUMBER_TAKE:
		return dup2(copied, number) - first;
	default:
		return close(number) ? 9 : 0;
	}
}

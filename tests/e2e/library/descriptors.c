/* SPDX-License-Identifier: MIT
 *
 * Threads that close, copy, set and ask descriptors while others use them. WHAT is one of the functions; with -DWRONG it
 * has a fault.
 */
#include "what.h"

#include <sys/ioctl.h>
#include <sys/uio.h>

static int ends[2], others[2], event, epoll;

static void put(int fd, char c) { assert(write(fd, &c, 1) == 1); }
static char get(int fd) { char c = 0; return read(fd, &c, 1) == 1 ? c : 0; }
static void *idles(void *unused) { return unused; }
static void *puts_x(void *unused) { put(ends[1], 'x'); return unused; }
static void *puts_y_and_other(void *unused)
{
	put(ends[1], 'y');
	put(others[1], 'y');
	return unused;
}
static void *closes(void *unused) { close(ends[0]); return unused; }

/* Several are looked at only when the threads have ended: what they did before is one object, too. */
static void looked_at_late(void)
{
	struct pollfd p[2];
	char first;

	assert(!pipe(ends) && !pipe(others));
	both(puts_x, puts_y_and_other);
	p[0] = (struct pollfd){ ends[0], POLLIN, 0 };
	p[1] = (struct pollfd){ others[0], POLLIN, 0 };
	assert(poll(p, 2, -1) == 2);
	first = get(ends[0]);
	assert(wrong ? first == 'x' : first + get(ends[0]) == 'x' + 'y');
}

/* What was closed by another thread is seen, in both orders. */
static int valid;
static void *polls(void *unused)
{
	struct pollfd p = { ends[0], POLLIN, 0 };

	assert(poll(&p, 1, 0) >= 0);
	valid = !(p.revents & POLLNVAL);
	return unused;
}
static void closed_and_polled(void)
{
	assert(!pipe(ends));
	put(ends[1], 'x');
	both(wrong ? polls : closes, wrong ? closes : polls);
	assert(!wrong || !valid);
}
static void closed_or_polled(void)
{
	closed_and_polled();
	assert(!wrong || valid);
}

static void *asks(void *unused) { valid = fcntl(ends[0], F_GETFD) >= 0; return unused; }
static void closed_and_asked(void)
{
	assert(!pipe(ends));
	both(closes, asks);
	assert(!wrong || !valid);
}

/* One of two closes it; a third thread may have got the number meanwhile. */
static int closed[2];
static void *closes_first(void *unused) { closed[0] = close(ends[0]); return unused; }
static void *closes_second(void *unused) { closed[1] = close(ends[0]); return unused; }
static void closed_twice(void)
{
	assert(!pipe(ends));
	both(closes_first, closes_second);
	assert(wrong ? !closed[0] : closed[0] + closed[1] == -1);
}

/* Who goes on using the number that it has closed uses what another thread has got. */
static void *makes_event(void *unused) { event = eventfd(0, 0); return unused; }
static void *closes_and_asks(void *unused)
{
	close(ends[0]);
	valid = fcntl(ends[0], F_GETFD) >= 0;
	return unused;
}
static void used_stale(void)
{
	assert(!pipe(ends));
	both(makes_event, closes_and_asks);
	assert(wrong ? !valid : !valid || event == ends[0]);
}

/* Who waits already goes on waiting for what was closed. */
static void *waits(void *unused) { valid = get(ends[0]) == 'x'; return unused; }
static void closed_in_wait(void)
{
	assert(!pipe(ends));
	both(closes, waits);
	assert(!valid);
}
static void *waits_for_two(void *unused)
{
	struct pollfd p[2] = { { ends[0], POLLIN, 0 }, { others[0], POLLIN, 0 } };

	assert(poll(p, 2, -1) == 1);
	return unused;
}
static void closed_in_poll(void)
{
	assert(!pipe(ends) && !pipe(others));
	both(closes, waits_for_two);
}

static void *does_not_wait(void *unused) { fcntl(ends[0], F_SETFL, O_NONBLOCK); return unused; }
static void *asks_flags(void *unused) { valid = !(fcntl(ends[0], F_GETFL) & O_NONBLOCK); return unused; }
static void set_and_asked(void)
{
	assert(!pipe(ends));
	both(does_not_wait, asks_flags);
	assert(!wrong || !valid);
}

/* While one waits with another mask, nobody takes what it has seen. */
static void *waits_masked(void *unused)
{
	struct pollfd p = { ends[0], POLLIN, 0 };
	struct epoll_event e;
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGUSR1);
	if (epoll)
		assert(epoll_pwait(epoll, &e, 1, -1, &mask) == 1);
	else
		assert(ppoll(&p, 1, NULL, &mask) == 1);
	if (wrong)
		assert(ioctl(ends[0], FIONREAD, &valid) == 0 && valid == 1);
	return unused;
}
static void *takes_and_puts(void *unused)
{
	put(ends[1], get(ends[0]));
	return unused;
}
static void masked(void)
{
	assert(!pipe(ends));
	put(ends[1], 'x');
	both(waits_masked, takes_and_puts);
}
static void epoll_masked(void)
{
	struct epoll_event e = { .events = EPOLLIN };

	assert(!pipe(ends));
	put(ends[1], 'x');
	epoll = epoll_create1(0);
	assert(!epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &e));
	both(waits_masked, takes_and_puts);
}

/* Numbers depend on who comes first. */
static int numbers[2];
static void *makes_epoll(void *unused) { numbers[0] = epoll_create1(0); return unused; }
static void *makes_other(void *unused) { numbers[1] = epoll_create1(0); return unused; }
static void *copies(void *unused) { numbers[1] = dup(ends[1]); return unused; }
static void epolls_numbered(void)
{
	assert(!pipe(ends));
	both(makes_epoll, makes_other);
	assert(wrong ? numbers[0] < numbers[1] : numbers[0] != numbers[1]);
}
static void numbered(void)
{
	int old;

	assert(!pipe(ends));
	old = ends[0];
	both(closes, copies);
	assert(wrong ? numbers[1] == old : numbers[1] >= old);
}
static void *opens(void *unused) { numbers[0] = open("/dev/null", O_RDONLY); return unused; }
static void opened(void)
{
	assert(!pipe(ends));
	both(closes, opens);
	assert(!wrong || numbers[0] == ends[0] || numbers[0] > ends[1]);
}

static void *counts(void *unused) { assert(!ioctl(ends[0], FIONREAD, &valid)); return unused; }
static void bytes_there(void)
{
	assert(!pipe(ends));
	both(puts_x, counts);
	assert(wrong ? valid == 1 : valid <= 1);
}

static struct itimerspec second = { .it_value = { 1, 0 } }, told, before[2];
static int armed;
static void *arms(void *unused)
{
	timerfd_settime(event, 0, &second, wrong ? NULL : &before[__atomic_fetch_add(&armed, 1, __ATOMIC_SEQ_CST)]);
	return unused;
}
static int runs(const struct itimerspec *t) { return t->it_value.tv_sec || t->it_value.tv_nsec; }
static void *asks_timer(void *unused) { timerfd_gettime(event, &told); return unused; }
static void timer_asked(void)
{
	event = timerfd_create(CLOCK_MONOTONIC, 0);
	both(arms, asks_timer);
	assert(!wrong || !runs(&told));
}
static void timer_armed_twice(void)
{
	event = timerfd_create(CLOCK_MONOTONIC, 0);
	both(arms, wrong ? asks_timer : arms);
	assert(runs(&told) || runs(&before[0]) || runs(&before[1]));
}

/* SPDX-License-Identifier: MIT
 *
 * Threads that pass things to each other through descriptors. WHAT is one of the functions; with -DWRONG it has a
 * fault.
 */
#include "what.h"

#include <sched.h>

static int ends[2], others[2] = { -1, -1 }, event, count;
static pthread_t threads[4];
static unsigned n;

static void start(void *(*f)(void *), long arg) { pthread_create(&threads[n++], NULL, f, (void *)arg); }
static void all(void) { while (n) pthread_join(threads[--n], NULL); }

static void put(int fd, char c) { assert(write(fd, &c, 1) == 1); }
static char get(int fd) { char c = 0; return read(fd, &c, 1) == 1 ? c : 0; }
static void *put_arg(void *c) { put(ends[1], (char)(long)c); return NULL; }
static void *put_other(void *c) { put(others[1], (char)(long)c); return NULL; }

/* The end of what is written is seen when it is closed; without that a reader waits for ever. */
static void *drain(void *unused) { while (get(ends[0])) count++; return unused; }
static void end_of_file(void)
{
	assert(!pipe(ends));
	start(drain, 0);
	put(ends[1], 'a');
	put(ends[1], 'b');
	if (!wrong)
		close(ends[1]);
	all();
	assert(count == 2);
}

/* Two writers: either may come first. */
static void either(void)
{
	char a, b;

	assert(!pipe(ends));
	start(put_arg, 'a');
	start(put_arg, 'b');
	a = get(ends[0]);
	b = get(ends[0]);
	all();
	assert(wrong ? a == 'a' : a + b == 'a' + 'b');
}

/* An event as a lock. */
static void *locked(void *unused)
{
	eventfd_t v;

	if (wrong)
		eventfd_write(event, 1);
	assert(!eventfd_read(event, &v));
	assert(!count++);
	count--;
	eventfd_write(event, 1);
	return unused;
}
static void event_lock(void)
{
	event = eventfd(1, EFD_SEMAPHORE);
	start(locked, 0);
	start(locked, 0);
	all();
}

/* What is not there yet is asked for again. */
static void not_there(void)
{
	char c = 0;

	assert(!pipe2(ends, O_NONBLOCK));
	start(put_arg, 'x');
	while (read(ends[0], &c, 1) < 0) {
		assert(errno == EAGAIN);
		if (wrong)
			break;
		sched_yield();
	}
	all();
	assert(c == 'x');
}

static void *answers(void *unused)
{
	char c;

	while ((c = get(others[1])))
		put(others[1], c + 1);
	return unused;
}
static void ping_pong(void)
{
	assert(!socketpair(AF_UNIX, SOCK_STREAM, 0, others));
	start(answers, 0);
	for (char c = 'a'; c < 'g'; c += 2) {
		assert(send(others[0], &c, 1, MSG_NOSIGNAL) == 1);
		assert(recv(others[0], &c, 1, 0) == 1);
		c--;
	}
	if (!wrong)
		shutdown(others[0], SHUT_WR);
	all();
}

/* More than there is room for. */
static void *reads_much(void *unused)
{
	static char buffer[30000];
	ssize_t got;

	while (count < 150000 && (got = read(ends[0], buffer, sizeof buffer)) > 0)
		count += (int)got;
	return unused;
}
static void full(void)
{
	static char buffer[150000];

	assert(!pipe(ends));
	if (!wrong)
		start(reads_much, 0);
	assert(write(ends[1], buffer, sizeof buffer) == sizeof buffer);
	all();
	assert(count == sizeof buffer);
}

static void *closes(void *unused) { close(ends[0]); return unused; }
static void broken(void)
{
	char c = 'x';

	assert(!pipe(ends));
	if (!wrong)
		signal(SIGPIPE, SIG_IGN);
	start(closes, 0);
	assert(write(ends[1], &c, 1) == 1 || errno == EPIPE);
	all();
}

/* Whichever is ready first. */
static void polled(void)
{
	struct pollfd p[2];
	int seen = 0;

	assert(!pipe(ends) && !pipe(others));
	p[0] = (struct pollfd){ .fd = ends[0], .events = POLLIN };
	p[1] = (struct pollfd){ .fd = others[0], .events = POLLIN };
	start(put_arg, 'a');
	start(put_other, 'b');
	while (seen != 3) {
		assert(poll(p, 2, -1) > 0);
		assert(!wrong || p[0].revents);
		for (int i = 0; i < 2; i++)
			if (p[i].revents & POLLIN) {
				get(p[i].fd);
				seen |= 1 << i;
			}
	}
	assert(poll(p, 2, 0) == 0 && poll(p, 2, 10) == 0);
	all();
}

static void selected(void)
{
	fd_set set;
	int seen = 0;

	assert(!pipe(ends) && !pipe(others));
	start(put_arg, 'a');
	start(put_other, 'b');
	while (seen != 3) {
		FD_ZERO(&set);
		FD_SET(ends[0], &set);
		FD_SET(others[0], &set);
		assert(select(FD_SETSIZE, &set, NULL, NULL, NULL) > 0);
		assert(!wrong || FD_ISSET(ends[0], &set));
		if (FD_ISSET(ends[0], &set))
			seen |= get(ends[0]) != 0;
		if (FD_ISSET(others[0], &set))
			seen |= (get(others[0]) != 0) << 1;
	}
	all();
}

static void epolled(void)
{
	struct epoll_event e = { .events = EPOLLIN }, list[2];
	int epoll = epoll_create1(0), seen = 0, k;

	assert(!pipe(ends) && !pipe(others));
	e.data.fd = ends[0];
	assert(!epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &e));
	e.data.fd = others[0];
	assert(!epoll_ctl(epoll, EPOLL_CTL_ADD, others[0], &e));
	start(put_arg, 'a');
	start(put_other, 'b');
	while (seen < 2) {
		assert((k = epoll_wait(epoll, list, 2, -1)) > 0);
		assert(!wrong || list[0].data.fd == ends[0]);
		while (k--)
			seen += get(list[k].data.fd) != 0;
	}
	all();
}

/* Time is up while nobody writes, and not before. */
static void timed(void)
{
	struct timespec a, b;
	struct pollfd p;

	assert(!pipe(ends) && !pipe(others));
	p = (struct pollfd){ .fd = ends[0], .events = POLLIN };
	start(put_other, 'x');
	put_other((void *)'y');
	clock_gettime(CLOCK_MONOTONIC, &a);
	assert(poll(&p, 1, 2000) == 0);
	clock_gettime(CLOCK_MONOTONIC, &b);
	assert(b.tv_sec - a.tv_sec >= (wrong ? 3 : 2));
	all();
}

static void *ticks(void *unused)
{
	uint64_t times = 0;

	assert(read(event, &times, sizeof times) == sizeof times && times >= 1);
	__atomic_add_fetch(&count, 1, __ATOMIC_SEQ_CST);
	return unused;
}
static void timer(void)
{
	struct itimerspec twice = { .it_value = { 1, 0 }, .it_interval = { 1, 0 } };

	event = timerfd_create(CLOCK_MONOTONIC, 0);
	if (!wrong)
		timerfd_settime(event, 0, &twice, NULL);
	start(ticks, 0);
	start(ticks, 0);
	all();
	assert(count == 2);
}

/* One end of a copy is left. */
static void *reads_copy(void *unused) { assert(get(others[0]) == 'c'); return unused; }
static void copies(void)
{
	assert(!pipe(ends));
	others[0] = fcntl(ends[0], F_DUPFD, 20);
	others[1] = dup(ends[1]);
	start(reads_copy, 0);
	close(ends[0]);
	close(ends[1]);
	if (!wrong)
		put(others[1], 'c');
	all();
}

/* A thread is told to end through a pipe while it waits for work. */
static void *serves(void *unused)
{
	struct pollfd p[2] = { { .fd = ends[0], .events = POLLIN }, { .fd = event, .events = POLLIN } };

	for (;;) {
		assert(poll(p, 2, -1) > 0);
		if (p[0].revents && (wrong || !p[1].revents))
			return unused;
		if (p[1].revents) {
			eventfd_t v;

			eventfd_read(event, &v);
			count += (int)v;
		}
	}
}
static void served(void)
{
	assert(!pipe(ends));
	event = eventfd(0, 0);
	start(serves, 0);
	eventfd_write(event, 2);
	eventfd_write(event, 3);
	put(ends[1], 'q');
	all();
	assert(count == 5);
}

/* SPDX-License-Identifier: MIT */
#include "target_calls.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <unistd.h>

static int ends[2], event;
static pthread_t main_thread;
static sigset_t set;

static QUIET void signals_start(void)
{
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	main_thread = pthread_self();
}

static QUIET void open_channels(bool counts)
{
	if (pipe(ends))
		abort();
	event = eventfd(0, counts ? 0 : EFD_SEMAPHORE);
}

QUIET void channels_start(const struct program *p)
{
	if (program_has(p, OP_SIGNAL_SEND, OP_SIGNAL_PENDING))
		signals_start();
	if (program_has(p, OP_CHANNEL_PUT, OP_CHANNEL_COUNT) || program_has(p, OP_EPOLL_ADD, OP_EPOLL_WAIT))
		open_channels(p->event_counts);
}

QUIET int channel_end(unsigned channel)
{
	return channel ? event : ends[0];
}

static QUIET int get(unsigned channel)
{
	uint64_t n = 0;
	char c = 0;
	ssize_t r = channel ? read(event, &n, sizeof n) : read(ends[0], &c, 1);

	return r < 0 ? 9 : !r ? 8 : channel ? (int)n : c;
}

static QUIET int put(unsigned channel, uint8_t value)
{
	uint64_t n = 1;
	char c = (char)(value + 1);
	ssize_t r = channel ? write(event, &n, sizeof n) : write(ends[1], &c, 1);

	return r < 0 ? 9 : 0;
}

QUIET int call_channel(const struct op *o)
{
	struct pollfd p[2] = { { channel_end(o->object), POLLIN, 0 }, { event, POLLIN, 0 } };
	int n = 0;

	switch (o->what) {
	case OP_CHANNEL_PUT:
		return put(o->object, o->value);
	case OP_CHANNEL_GET:
		return get(o->object);
	case OP_CHANNEL_READY:
		n = poll(p, 1, o->value ? 1000 : 0);
		return n < 0 ? 7 : n;
	case OP_CHANNEL_EITHER:
		p[0].fd = ends[0];
		poll(p, 2, -1);
		return (p[0].revents != 0) | (p[1].revents != 0) << 1;
	case OP_CHANNEL_CLOSE:
		return close(ends[1]) ? 9 : 0;
	default:
		return ioctl(ends[0], FIONREAD, &n) ? 9 : n;
	}
}

QUIET int call_signal(const struct op *o)
{
	struct timespec t = { o->value, 0 };
	sigset_t pending;
	int sig;

	switch (o->what) {
	case OP_SIGNAL_SEND:
		return o->object ? kill(getpid(), SIGUSR1) : pthread_kill(main_thread, SIGUSR1);
	case OP_SIGNAL_WAIT:
		return !sigwait(&set, &sig);
	case OP_SIGNAL_TIMED:
		return sigtimedwait(&set, NULL, &t) == SIGUSR1;
	default:
		sigpending(&pending);
		return sigismember(&pending, SIGUSR1);
	}
}

/* SPDX-License-Identifier: MIT
 *
 * A handler runs in a thread that waits: calls that begin anew with SA_RESTART never say so, and those that only look never
 * do. WHAT is one of the functions; with -DWRONG the handler has no SA_RESTART.
 */
#include "what.h"

#include <mqueue.h>
#include <sys/signalfd.h>

static int descriptor;
static mqd_t queue;

static void handler(int sig)
{
	(void)sig;
}

static void prepare(void)
{
	struct sigaction a = { .sa_handler = handler, .sa_flags = wrong ? 0 : SA_RESTART };
	sigset_t set;

	sigaction(SIGUSR1, &a, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	descriptor = signalfd(-1, &set, 0);
	assert(descriptor >= 0);
}

/* The other thread interrupts it, and then gives it what it waits for. */
static void interrupted(void *(*waiter)(void *), void (*gives)(void))
{
	pthread_t t;

	prepare();
	pthread_create(&t, NULL, waiter, NULL);
	pthread_kill(t, SIGUSR1);
	gives();
	pthread_join(t, NULL);
}

static void kills(void)
{
	kill(getpid(), SIGUSR2);
}

static void *reads(void *unused)
{
	struct signalfd_siginfo s;

	assert(read(descriptor, &s, sizeof s) == sizeof s);
	return unused;
}

static void signal_read(void)
{
	interrupted(reads, kills);
}

static void sends(void)
{
	assert(!mq_send(queue, "x", 1, 0));
}

static void *receives(void *unused)
{
	struct timespec until;
	char text[8];

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	assert(mq_timedreceive(queue, text, sizeof text, NULL, &until) == 1 || errno == ETIMEDOUT);
	return unused;
}

static void message_received(void)
{
	struct mq_attr attr = { .mq_maxmsg = 3, .mq_msgsize = 8 };
	char name[32];

	snprintf(name, sizeof name, "/linchpin-%d", (int)getpid());
	queue = mq_open(name, O_CREAT | O_RDWR, 0600, &attr);
	mq_unlink(name);
	interrupted(receives, sends);
}

static int epoll, own;
static sigset_t other;

static void *looks(void *unused)
{
	const struct timespec none = { 0, 0 };
	struct signalfd_siginfo s;
	struct epoll_event event;

	assert(read(own, &s, sizeof s) == -1 && errno == EAGAIN);
	assert(sigtimedwait(&other, NULL, &none) == -1 && errno == EAGAIN);
	assert(epoll_wait(epoll, &event, 1, 0) == (wrong ? 1 : 0));
	return unused;
}

static void only_looks(void)
{
	sigemptyset(&other);
	sigaddset(&other, SIGRTMIN);
	own = signalfd(-1, &other, SFD_NONBLOCK);
	epoll = epoll_create1(0);
	interrupted(looks, kills);
}

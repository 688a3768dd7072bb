/* SPDX-License-Identifier: MIT
 *
 * Threads that pass messages and signals to each other through queues of POSIX and descriptors of signals. WHAT is one of
 * the functions; with -DWRONG it has a fault.
 */
#include "what.h"

#include <mqueue.h>
#include <semaphore.h>
#include <sys/signalfd.h>

static mqd_t queue;
static int descriptor, sum, notices;
static sem_t came;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static mqd_t opens(int flags, long most)
{
	struct mq_attr attr = { .mq_maxmsg = most, .mq_msgsize = 8 };

	return mq_open("/linchpin-queues", O_CREAT | flags, 0600, &attr);
}

static void *sends_one(void *n)
{
	assert(!mq_send(queue, "x", 1, (unsigned)(long)n));
	return NULL;
}

static void *receives(void *unused)
{
	char text[8];

	assert(mq_receive(queue, text, sizeof text, NULL) == 1);
	sum++;
	return unused;
}

static void *receives_twice(void *unused)
{
	receives(unused);
	return receives(unused);
}

/* One waits until another one sends; with the fault it waits for one more. */
static void waits(void)
{
	queue = opens(O_RDWR, 3);
	both(sends_one, wrong ? receives_twice : receives);
	assert(sum == 1 && !mq_close(queue) && !mq_unlink("/linchpin-queues"));
}

static void *sends_two(void *unused)
{
	assert(!mq_send(queue, "x", 1, 0) && !mq_send(queue, "y", 1, 0));
	return unused;
}

static void *drains(void *unused)
{
	return wrong ? unused : receives(unused);
}

/* There is room for one. */
static void full(void)
{
	queue = opens(O_RDWR, 1);
	both(sends_two, drains);
}

/* Two send with priorities 0 and 1: which comes first is the order of sending, or of the priorities. */
static void priorities(void)
{
	unsigned first, second;
	char text[8];

	queue = opens(O_RDWR, 3);
	both(sends_one, sends_one);
	mq_receive(queue, text, sizeof text, &first);
	mq_receive(queue, text, sizeof text, &second);
	assert(first == 1 && second == (wrong ? 1 : 0));
}

static void *makes(void *n)
{
	assert(opens(O_RDWR | (wrong ? O_EXCL : 0), 3) >= 0);
	return n;
}

/* Who comes first makes it. */
static void named(void)
{
	both(makes, makes);
}

static void notice(union sigval value)
{
	pthread_mutex_lock(&mutex);
	notices += value.sival_int;
	pthread_mutex_unlock(&mutex);
	sem_post(&came);
}

/* A notice is a thread, and comes once. */
static void noticed(void)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = notice };

	e.sigev_value.sival_int = 1;
	queue = opens(O_RDWR, 3);
	sem_init(&came, 0, 0);
	assert(!mq_notify(queue, &e));
	both(sends_one, sends_one);
	sem_wait(&came);
	if (wrong)
		sem_wait(&came);
	pthread_mutex_lock(&mutex);
	assert(notices == 1);
	pthread_mutex_unlock(&mutex);
}

static void block_usr(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	descriptor = signalfd(-1, &set, 0);
	assert(descriptor >= 0);
}

static void *kills(void *n)
{
	assert(!kill(getpid(), n && !wrong ? SIGUSR2 : SIGUSR1));
	return n;
}

/* Two signals to the process are read in one way or the other; with the fault they are the same, and one may be lost. */
static void signals_read(void)
{
	struct signalfd_siginfo s;

	block_usr();
	both(kills, kills);
	for (int i = 0; i < 2; i++)
		assert(read(descriptor, &s, sizeof s) == sizeof s);
}

static void *polls_signal(void *unused)
{
	struct pollfd p = { .fd = descriptor, .events = POLLIN };
	int r = poll(&p, 1, wrong ? 0 : -1);

	assert(r == 1 && p.revents == POLLIN);
	return unused;
}

/* Who polls waits for the signal. */
static void signal_polled(void)
{
	block_usr();
	both(kills, polls_signal);
}

static void *to_itself(void *unused)
{
	pthread_kill(pthread_self(), SIGUSR1);
	return polls_signal(unused);
}

static void *sees_nothing(void *unused)
{
	struct pollfd p = { .fd = descriptor, .events = POLLIN };

	assert(poll(&p, 1, 0) == (wrong ? 1 : 0));
	return unused;
}

/* A signal to a thread is there for that one alone. */
static void own_signal(void)
{
	block_usr();
	both(to_itself, sees_nothing);
}

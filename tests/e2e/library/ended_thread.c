/* SPDX-License-Identifier: MIT
 *
 * What is asked of a thread that may have ended: it is there no more, whether it was joined or not.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static pid_t id;

static int clock_is_there(pthread_t t)
{
	clockid_t clock;

	return pthread_getcpuclockid(t, &clock);
}

static int schedule_is_there(pthread_t t)
{
	struct sched_param p;
	int policy;

	return pthread_getschedparam(t, &policy, &p);
}

static int schedule_is_set(pthread_t t)
{
	struct sched_param p = { 0 };

	return pthread_setschedparam(t, SCHED_OTHER, &p);
}

static int priority_is_set(pthread_t t)
{
	return pthread_setschedprio(t, 0);
}

static int gets_signals(pthread_t t)
{
	return pthread_sigqueue(t, SIGURG, (union sigval){ 0 });
}

static int has_id(pthread_t t)
{
	(void)t;
	while (!__atomic_load_n(&id, __ATOMIC_ACQUIRE))
		sched_yield();
	return tgkill(getpid(), id, 0) ? errno : 0;
}

static void *work(void *unused)
{
	__atomic_store_n(&id, gettid(), __ATOMIC_RELEASE);
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
#ifdef WRONG
	assert(!HOW(t));
#else
	while (!HOW(t))
		sched_yield();
	assert(HOW(t) == ESRCH && !pthread_cancel(t));
#endif
	return pthread_join(t, NULL);
}

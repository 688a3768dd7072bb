/* SPDX-License-Identifier: MIT
 *
 * What a new thread has of the one that makes it, and of its attribute: the mask of signals, processors, how
 * it is scheduled.
 */
#include "same.h"

#include <sched.h>

/* What the running thread has. */
static void *show(void *unused)
{
	struct sched_param p;
	sigset_t mask;
	cpu_set_t cpus;
	int policy;

	R(pthread_getschedparam(pthread_self(), &policy, &p));
	V(policy);
	V(p.sched_priority);
	R(pthread_sigmask(SIG_BLOCK, NULL, &mask));
	V(sigismember(&mask, SIGUSR1));
	V(sigismember(&mask, SIGUSR2));
	V(sigismember(&mask, SIGKILL));
	R(pthread_getaffinity_np(pthread_self(), sizeof cpus, &cpus));
	V(CPU_COUNT(&cpus));
	return unused;
}

static void with(const pthread_attr_t *attr)
{
	pthread_t t;
	int made = pthread_create(&t, attr, show, NULL);

	R(pthread_join(t, NULL)); /* it has printed */
	V(made);
}

/* Makes a thread while it has another policy than the process. */
static void *makes(void *unused)
{
	struct sched_param p = { 0 };
	sigset_t set;
	pthread_attr_t attr;

	R(pthread_setschedparam(pthread_self(), SCHED_BATCH, &p));
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	R(pthread_sigmask(SIG_SETMASK, &set, NULL));
	with(NULL);
	pthread_attr_init(&attr);
	with(&attr);
	R(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED));
	with(&attr);
	pthread_attr_destroy(&attr);
	return unused;
}

void calls(void)
{
	pthread_attr_t attr;
	sigset_t set;
	cpu_set_t one;
	int cpu = 0;

	pthread_attr_init(&attr);
	with(&attr);
	sigfillset(&set);
	sigdelset(&set, SIGUSR2);
	R(pthread_attr_setsigmask_np(&attr, &set));
	with(&attr);
	R(pthread_attr_setsigmask_np(&attr, NULL));
	with(&attr);
	sched_getaffinity(0, sizeof one, &one);
	while (!CPU_ISSET(cpu, &one))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	R(pthread_attr_setaffinity_np(&attr, sizeof one, &one));
	with(&attr);
	pthread_attr_destroy(&attr);
	elsewhere(makes, NULL);
}

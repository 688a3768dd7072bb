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

static void *made(void *unused)
{
	pthread_attr_t attr;
	size_t guard;

	pthread_getattr_np(pthread_self(), &attr);
	pthread_attr_getguardsize(&attr, &guard);
	V(guard);
	pthread_attr_destroy(&attr);
	return unused;
}

static void *nothing(void *unused)
{
	return unused;
}

/* The kernel's names of threads: one has nothing of another. */
static void *by_id(void *unused)
{
	struct sched_param p = { 0 };

	V(sched_getscheduler(0));
	V(sched_getscheduler(getpid()));
	E(sched_setscheduler(0, SCHED_IDLE, &p));
	V(sched_getscheduler(0));
	V(sched_getscheduler(gettid()));
	V(sched_getscheduler(getpid()));
	E(sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){ 1 }));
	E(sched_setscheduler(0, SCHED_FIFO, &p));
	E(sched_setscheduler(0, -1, &p));
	E(sched_setscheduler(-1, SCHED_OTHER, &p));
	E(sched_setscheduler(0, SCHED_OTHER, NULL));
	E(sched_setparam(0, &(struct sched_param){ 3 }));
	E(sched_setparam(0, &p));
	E(sched_setparam(0, NULL));
	E(sched_getparam(0, &p));
	V(p.sched_priority);
	E(sched_getparam(gettid(), &p));
	E(sched_getparam(-1, &p));
	E(sched_getparam(0, NULL));
	E(sched_getscheduler(-1));
	return unused;
}

/* With which no thread can be made; and what those have that are made without any. */
static void forbidden(void)
{
	struct sched_param p = { .sched_priority = 50 };
	pthread_attr_t attr, usual;
	cpu_set_t none;
	pthread_t t;

	CPU_ZERO(&none);
	CPU_SET(1000, &none);
	pthread_attr_init(&attr);
	R(pthread_attr_setaffinity_np(&attr, sizeof none, &none));
	R(pthread_create(&t, &attr, nothing, NULL));
	R(pthread_attr_setaffinity_np(&attr, 0, NULL));
	R(pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED));
	R(pthread_attr_setschedpolicy(&attr, SCHED_FIFO));
	R(pthread_attr_setschedparam(&attr, &p));
	R(pthread_attr_setschedpolicy(&attr, SCHED_OTHER));
	R(pthread_create(&t, &attr, nothing, NULL));
	pthread_attr_destroy(&attr);
	R(pthread_getattr_default_np(&usual));
	R(pthread_attr_setguardsize(&usual, 8192));
	R(pthread_setattr_default_np(&usual));
	elsewhere(made, NULL);
	R(pthread_attr_setguardsize(&usual, 4096));
	R(pthread_setattr_default_np(&usual));
	elsewhere(made, NULL);
	pthread_attr_destroy(&usual);
}

static pthread_mutex_t mutex;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int waits;

static void *waits_with(void *unused)
{
	pthread_mutex_lock(&mutex);
	waits = 1;
	while (waits)
		pthread_cond_wait(&condition, &mutex);
	pthread_mutex_unlock(&mutex);
	return unused;
}

/* A mutex with which a thread waits for a condition is in use; one that lends its priority knows one clock. */
static void mutexes(void)
{
	struct timespec then = { 1, 0 };
	pthread_mutexattr_t lends;
	pthread_t t;

	pthread_mutex_init(&mutex, NULL);
	pthread_create(&t, NULL, waits_with, NULL);
	for (int there = 0; !there;) {
		usleep(1000);
		pthread_mutex_lock(&mutex);
		there = waits;
		pthread_mutex_unlock(&mutex);
	}
	R(pthread_mutex_destroy(&mutex));
	pthread_mutex_lock(&mutex);
	waits = 0;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&mutex);
	pthread_join(t, NULL);
	R(pthread_mutex_destroy(&mutex));
	pthread_mutexattr_init(&lends);
	pthread_mutexattr_setprotocol(&lends, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(&mutex, &lends);
	R(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &then));
	R(pthread_mutex_unlock(&mutex));
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
	forbidden();
	mutexes();
	elsewhere(by_id, NULL);
	elsewhere(by_id, NULL);
}

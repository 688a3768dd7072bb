/* SPDX-License-Identifier: MIT
 *
 * A thread waits in a loop in a function that libc calls, within a call that waits itself or not.
 */
#include "what.h"

static volatile int flag, came;
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_t other;

static void waits(void)
{
	while (!flag)
		;
}

static void handler(int sig)
{
	(void)sig;
	came = 1;
	waits();
}

/* The other thread is sent a signal, which may come in its call. */
static void interrupts(void *(*f)(void *))
{
	signal(SIGUSR1, handler);
	pthread_create(&other, NULL, f, NULL);
	pthread_kill(other, SIGUSR1);
}

static void *at_barrier(void *unused)
{
	pthread_barrier_wait(&barrier);
	return unused;
}

static void in_barrier(void)
{
	pthread_barrier_init(&barrier, NULL, 2);
	interrupts(at_barrier);
	pthread_barrier_wait(&barrier); /* never, if the handler runs before the other thread's */
	flag = 1;
	pthread_join(other, NULL);
}

static void *at_lock(void *unused)
{
	pthread_mutex_lock(&lock);
	came = 2;
	pthread_mutex_unlock(&lock);
	return unused;
}

static void in_lock(void)
{
	pthread_mutex_lock(&lock);
	interrupts(at_lock);
	flag = 1;
	pthread_mutex_unlock(&lock);
	pthread_join(other, NULL);
}

static void *at_condition(void *unused)
{
	pthread_mutex_lock(&lock);
	while (!flag)
		pthread_cond_wait(&condition, &lock);
	pthread_mutex_unlock(&lock);
	return unused;
}

static void in_condition(void)
{
	interrupts(at_condition);
	pthread_mutex_lock(&lock);
	flag = 1;
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&lock);
	pthread_join(other, NULL);
}

static void *at_access(void *unused)
{
	came = 3;
	came = flag;
	return unused;
}

static void in_access(void)
{
	interrupts(at_access);
	flag = 1;
	pthread_join(other, NULL);
}

/* The handler comes to a handler. */
static void again(int sig)
{
	(void)sig;
	came = 4;
	waits();
}

static void twice(void)
{
	signal(SIGUSR2, again);
	interrupts(at_access);
	pthread_kill(other, SIGUSR2);
	flag = 1;
	pthread_join(other, NULL);
}

static void *initialises(void *unused)
{
	pthread_once(&once, waits);
	return unused;
}

static void *sets(void *unused)
{
	came = 5;
	flag = 1;
	came = 6;
	return unused;
}

static void in_once(void)
{
	both(initialises, sets);
}

static void destroys(void *unused)
{
	(void)unused;
	waits();
}

static pthread_key_t key;

static void *has_value(void *unused)
{
	pthread_setspecific(key, &flag);
	return unused;
}

static void in_destructor(void)
{
	pthread_key_create(&key, destroys);
	both(has_value, sets);
}

static void *cleans(void *unused)
{
	pthread_cleanup_push(destroys, NULL);
	pthread_exit(unused);
	pthread_cleanup_pop(0);
	return unused;
}

static void in_cleanup(void)
{
	both(cleans, sets);
}

static void in_atexit(void)
{
	pthread_create(&other, NULL, sets, NULL);
	atexit(waits);
}

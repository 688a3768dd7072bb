/* SPDX-License-Identifier: MIT
 *
 * Timers whose notices are threads: one that comes once, one that comes again and again, one that ends its thread.
 * With WRONG, a notice and main share something without a lock.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t came;
static int notices, last;
static _Thread_local int own;
static pthread_t starter;

static void notice(union sigval value)
{
	assert(!pthread_equal(pthread_self(), starter) && own++ == 0);
#ifndef WRONG
	pthread_mutex_lock(&lock);
#endif
	last = ++notices;
#ifndef WRONG
	pthread_mutex_unlock(&lock);
#endif
	sem_post(&came);
	if (value.sival_int)
		pthread_exit(NULL);
}

static timer_t begin(int value, long interval)
{
	struct sigevent e = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = notice };
	struct itimerspec when = { .it_value = { 0, 1000000 }, .it_interval = { 0, interval } };
	timer_t t;

	e.sigev_value.sival_int = value;
	assert(!timer_create(CLOCK_MONOTONIC, &e, &t));
	assert(!timer_settime(t, 0, &when, NULL));
	return t;
}

int main(void)
{
	timer_t once, again;

	starter = pthread_self();
	sem_init(&came, 0, 0);
	once = begin(1, 0);
	sem_wait(&came);
	assert(!timer_delete(once));
	again = begin(0, 1000000);
#ifdef WRONG
	last = ++notices;
	usleep(1000);
	assert(last == notices);
#endif
	sem_wait(&came);
	sem_wait(&came);
	assert(!timer_delete(again) && timer_delete(again) == -1);
	pthread_mutex_lock(&lock);
	assert(notices >= 3);
	pthread_mutex_unlock(&lock);
	return 0;
}

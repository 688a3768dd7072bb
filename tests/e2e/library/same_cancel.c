/* SPDX-License-Identifier: MIT
 *
 * Cancellation: points, states, kinds, what is cleaned up.
 */
#include "same.h"

static sem_t never, ready;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_t forever;
static volatile int spin;

static void cleaned(void *what)
{
	printf("cleans up %s\n", (char *)what);
}

static void unlocks(void *mutex)
{
	printf("unlock %d\n", pthread_mutex_unlock(mutex));
}

static void *in_semaphore(void *arg)
{
	pthread_cleanup_push(cleaned, "outer");
	pthread_cleanup_push(cleaned, "inner");
	sem_post(&ready);
	sem_wait(&never);
	pthread_cleanup_pop(0);
	pthread_cleanup_pop(0);
	return arg;
}

static void *in_condition(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(unlocks, &m);
	sem_post(&ready);
	for (;;)
		pthread_cond_wait(&c, &m);
	pthread_cleanup_pop(1);
	return arg;
}

static void *in_sleep(void *arg)
{
	sem_post(&ready);
	for (;;)
		sleep(1);
	return arg;
}

static void *in_join(void *arg)
{
	sem_post(&ready);
	pthread_join(forever, NULL);
	return arg;
}

static void *in_test(void *arg)
{
	sem_post(&ready);
	for (;;) {
		pthread_testcancel();
		usleep(1000);
	}
	return arg;
}

static void *disabled(void *arg)
{
	int old;

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
	sem_post(&ready);
	sem_wait(&never);
	pthread_testcancel();
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
	printf("%d\n", old);
	pthread_cleanup_push(cleaned, "disabled");
	pthread_testcancel();
	pthread_cleanup_pop(0);
	return arg;
}

static void *asynchronous(void *arg)
{
	int old;

	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
	pthread_cleanup_push(cleaned, "asynchronous");
	sem_post(&ready);
	while (!spin)
		;
	pthread_cleanup_pop(0);
	return arg;
}

static void *ended(void *arg)
{
	return arg;
}

static void cancel(void *(*f)(void *), bool late)
{
	pthread_t t;
	void *value;
	int r;

	if (pthread_create(&t, NULL, f, (void *)3))
		abort();
	sem_wait(&ready);
	r = pthread_cancel(t);
	if (late)
		sem_post(&never);
	R(pthread_join(t, &value));
	V(r);
	V(value == PTHREAD_CANCELED);
}

void calls(void)
{
	int old;
	pthread_t t;
	void *value;

	sem_init(&never, 0, 0);
	sem_init(&ready, 0, 0);
	cancel(in_semaphore, false);
	cancel(in_condition, false);
	cancel(in_sleep, false);
	pthread_create(&forever, NULL, in_sleep, NULL);
	sem_wait(&ready);
	cancel(in_join, false);
	R(pthread_cancel(forever));
	R(pthread_join(forever, &value));
	cancel(in_test, false);
	cancel(disabled, true);
	cancel(asynchronous, false);
	pthread_create(&t, NULL, ended, (void *)5);
	usleep(10000);
	R(pthread_join(t, &value));
	V(value);
	R(pthread_setcancelstate(99, &old));
	R(pthread_setcanceltype(99, &old));
	R(pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old));
	V(old);
}

/* SPDX-License-Identifier: MIT
 *
 * A thread is cancelled while it runs what pthread_once was given. Its cleanup handler uses the stack where that
 * was; then it counts as not having run, so the next thread runs it: no fault.
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t running, never;
static int cleaned, initialized;

static void waits(void)
{
	sem_post(&running);
	sem_wait(&never);
}

static void initializes(void)
{
	initialized++;
}

static void clean(void *unused)
{
	volatile char stack[4096];

	(void)unused;
	memset((void *)stack, 0x5a, sizeof stack);
	cleaned++;
}

static void *work(void *arg)
{
	pthread_cleanup_push(clean, NULL);
	pthread_once(&once, waits);
	pthread_cleanup_pop(0);
	return arg;
}

int main(void)
{
	pthread_t t;
	void *result;

	sem_init(&running, 0, 0);
	sem_init(&never, 0, 0);
	pthread_create(&t, NULL, work, NULL);
	sem_wait(&running);
	pthread_cancel(t);
	pthread_join(t, &result);
	assert(result == PTHREAD_CANCELED && cleaned == 1);
	pthread_once(&once, initializes);
	pthread_once(&once, initializes);
	assert(initialized == 1);
	return 0;
}

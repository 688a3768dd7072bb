/* SPDX-License-Identifier: MIT
 *
 * Waiting at a condition with an error-checking mutex that is not locked is EPERM.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

static int x;
static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;

static void *work(void *arg)
{
	x++;
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	x++;
	assert(pthread_cond_wait(&c, &m) == EPERM);
	pthread_join(t, NULL);
	return 0;
}

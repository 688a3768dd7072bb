/* SPDX-License-Identifier: MIT
 *
 * Main sleeps so that the thread comes first: it need not. The thread polls, and would give up after a time.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int waits;

static void *waits_long(void *unused)
{
	struct timespec then;

	clock_gettime(CLOCK_REALTIME, &then);
	then.tv_sec += 10;
	pthread_mutex_lock(&lock);
	waits = 1;
	assert(!pthread_cond_timedwait(&condition, &lock, &then));
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, waits_long, NULL);
	sleep(1); /* @sleeps */
	pthread_mutex_lock(&lock);
	assert(waits);
	pthread_cond_signal(&condition);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A join with a time limit can be cancelled while it waits, or time is up before.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <time.h>

static pthread_t first;

static void *joins(void *unused)
{
	struct timespec then;

	clock_gettime(CLOCK_REALTIME, &then);
	then.tv_sec += 1000;
	assert(pthread_timedjoin_np(first, NULL, &then));
	return unused;
}

int main(void)
{
	pthread_t t;
	void *r;

	first = pthread_self();
	pthread_create(&t, NULL, joins, NULL);
	pthread_cancel(t);
	pthread_join(t, &r);
	assert(r != PTHREAD_CANCELED);
	return 0;
}

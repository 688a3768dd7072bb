/* SPDX-License-Identifier: MIT
 *
 * Time passes, so both stop after 20 ms; the search is not complete.
 */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct timespec end;
static int n;

static int due(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec > end.tv_sec || (t.tv_sec == end.tv_sec && t.tv_nsec >= end.tv_nsec);
}

static void *works(void *arg)
{
	while (!due()) {
		pthread_mutex_lock(&m);
		n++;
		pthread_mutex_unlock(&m);
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_nsec += 20000000;
	if (end.tv_nsec >= 1000000000) {
		end.tv_nsec -= 1000000000;
		end.tv_sec++;
	}
	pthread_create(&a, NULL, works, NULL);
	pthread_create(&b, NULL, works, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

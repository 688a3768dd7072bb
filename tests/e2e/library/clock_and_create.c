/* SPDX-License-Identifier: MIT
 *
 * The clock of a new thread is not behind that of the one who made it.
 */
#include <assert.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

static struct timespec before;
static int x;

static void *work(void *arg)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	x++;
	assert(now.tv_sec > before.tv_sec || (now.tv_sec == before.tv_sec && now.tv_nsec >= before.tv_nsec));
	return arg;
}

int main(void)
{
	pthread_t t;

	usleep(10);
	clock_gettime(CLOCK_MONOTONIC, &before);
	pthread_create(&t, NULL, work, NULL);
	x++;
	pthread_join(t, NULL);
	return 0;
}

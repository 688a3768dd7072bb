/* SPDX-License-Identifier: MIT
 *
 * A time-out only means another try; the owner always unlocks.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *work(void *arg)
{
	struct timespec until;

	do {
		clock_gettime(CLOCK_REALTIME, &until);
		until.tv_sec++;
	} while (pthread_mutex_timedlock(&l, &until));
	n++;
	pthread_mutex_unlock(&l);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(n == 2);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * POSIX: the barrier may be destroyed when wait has returned to one thread; the others are on
 * their way out.
 */
#include <pthread.h>

static pthread_barrier_t end;
static volatile int x;

static void *work(void *arg)
{
	if (pthread_barrier_wait(&end) == PTHREAD_BARRIER_SERIAL_THREAD) {
		pthread_barrier_destroy(&end);
		pthread_barrier_init(&end, NULL, 1);
	}
	x++;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_barrier_init(&end, NULL, 2);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

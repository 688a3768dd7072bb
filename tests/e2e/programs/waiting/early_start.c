/* SPDX-License-Identifier: MIT
 *
 * Running is set before the thread is there and always taken back.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int running;

static void *sweep(void *arg)
{
	volatile int rounds = 0;

	while (running) {
		rounds++;
		usleep(1000);
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	running = 1;
	pthread_create(&t, NULL, sweep, NULL);
	running = 0;
	pthread_join(t, NULL);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * The thread may say that it runs after it was stopped, and then nobody ever stops it; no end, and
 * `running` is waited for.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int running;

static void *sweep(void *arg)
{
	volatile int rounds = 0;

	running = 1;
	while (running) {
		rounds++;
		usleep(1000);
	}
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, sweep, NULL);
	running = 0;
	pthread_join(t, NULL);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Main yields for ever and shares nothing with the other thread: no execution ends, and the trace
 * of that can be read.
 */
#include <pthread.h>
#include <sched.h>

static void *work(void *arg)
{
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	for (;;)
		sched_yield();
}

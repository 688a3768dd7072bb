/* SPDX-License-Identifier: MIT
 *
 * Four threads append to a log, so every order of their operations leaves another state: there are far too many
 * sequential executions to make them all.
 */
#include "linchpin.h"

#include <pthread.h>

#define THREADS    4
#define OPERATIONS 6

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int entries[THREADS * OPERATIONS], used;

static void *work(void *arg)
{
	for (int i = 0; i < OPERATIONS; i++) {
		int at;

		linchpin_call(&used, "append", *(int *)arg);
		pthread_mutex_lock(&lock);
		at = used++;
		entries[at] = *(int *)arg;
		pthread_mutex_unlock(&lock);
		linchpin_return(at);
	}
	return arg;
}

int main(void)
{
	static int numbers[THREADS] = { 1, 2, 3, 4 };
	pthread_t t[THREADS];

	linchpin_object(&used, "self");
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, &numbers[i]);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return 0;
}

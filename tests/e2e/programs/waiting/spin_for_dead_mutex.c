/* SPDX-License-Identifier: MIT
 *
 * The owner of m has ended without unlocking it; the other one tries for ever; a livelock that
 * waits for m.
 */
#include <pthread.h>
#include <sched.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *keeps(void *arg) { pthread_mutex_lock(&m); x++; return arg; }

static void *tries(void *arg)
{
	while (pthread_mutex_trylock(&m))
		sched_yield();
	x++;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, keeps, NULL);
	pthread_create(&b, NULL, tries, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

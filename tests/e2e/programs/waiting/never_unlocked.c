/* SPDX-License-Identifier: MIT
 *
 * A lock that is never given back; who tries, in a function of its own, yields in between.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

static atomic_int taken;
static int n;

__attribute__((noinline)) static bool try_lock(atomic_int *l)
{
	return !atomic_exchange(l, 1);
}

static void *work(void *arg)
{
	while (!try_lock(&taken))
		sched_yield();
	n++;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

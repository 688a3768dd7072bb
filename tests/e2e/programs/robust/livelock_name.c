/* SPDX-License-Identifier: MIT */
/* Right: nobody sets ready: livelock, and the text names ready, not done. */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int ready, done;

static void *one(void *arg)
{
	while (!atomic_load(&ready))
		sched_yield();
	return arg;
}

static void *other(void *arg)
{
	atomic_store(&done, 1);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

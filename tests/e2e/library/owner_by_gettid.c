/* SPDX-License-Identifier: MIT
 *
 * Each thread has a kernel id of its own, so this recursive lock excludes the other.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int owner;
static int depth, n;

static void lock(void)
{
	int me = gettid();

	if (owner != me)
		for (int none = 0; !atomic_compare_exchange_strong(&owner, &none, me); none = 0)
			;
	depth++;
}

static void unlock(void)
{
	if (!--depth)
		owner = 0;
}

static void *work(void *arg)
{
	lock();
	n++;
	unlock();
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

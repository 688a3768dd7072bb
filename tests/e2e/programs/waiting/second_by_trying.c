/* SPDX-License-Identifier: MIT
 *
 * Both take the locks in one order, the second by trying; whoever has the first gets the second in
 * the end.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sched.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *work(void *arg)
{
	for (;;) {
		pthread_mutex_lock(&a);
		if (!pthread_mutex_trylock(&b))
			break;
		pthread_mutex_unlock(&a);
		sched_yield();
	}
	n++;
	pthread_mutex_unlock(&a);
	pthread_mutex_unlock(&b);
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

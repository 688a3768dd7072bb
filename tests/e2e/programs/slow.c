/* SPDX-License-Identifier: MIT
 *
 * Four operations in each of two threads that take long: a budget of time ends their orders.
 */
#include <linchpin.h>
#include <pthread.h>

static volatile double result;
static int n;

static int step(int v)
{
	double y = v;

	for (long i = 0; i < 10000000; i++)
		y = y * 1.0000001 + 0.5;
	result = y;
	return __atomic_add_fetch(&n, v, __ATOMIC_SEQ_CST);
}

static void *thread(void *unused)
{
	for (int i = 0; i < 4; i++) {
		linchpin_call(&n, "step", 1);
		linchpin_return(step(1));
	}
	return unused;
}

int main(void)
{
	pthread_t a, b;

	linchpin_object(&n, "self");
	pthread_create(&a, NULL, thread, NULL);
	pthread_create(&b, NULL, thread, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

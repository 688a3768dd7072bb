/* SPDX-License-Identifier: MIT
 *
 * An execution takes for ever, without an event for most of the time.
 */
#include <linchpin.h>
#include <pthread.h>

static volatile double sink = 1;
static int n;

static int step(void)
{
	double y = 1;

	for (long i = 0; i < 300000000; i++)
		y = y * 1.0000001 + 0.5;
	sink = y;
	return __atomic_add_fetch(&n, 1, __ATOMIC_SEQ_CST);
}

static void *work(void *arg)
{
	for (int i = 0; i < 1000; i++) {
		linchpin_call(&n, "step", 1);
		linchpin_return(step());
	}
	return arg;
}

int main(void)
{
	pthread_t a, b;

	linchpin_object(&n, "self");
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

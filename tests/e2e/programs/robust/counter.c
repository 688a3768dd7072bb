/* SPDX-License-Identifier: MIT
 *
 * Three threads that lose updates, in more classes than a test can wait for.
 */
#include <linchpin.h>
#include <pthread.h>

static int n;

static void inc(void)
{
	int old;

	linchpin_call(&n, "fetch_inc");
	old = n;
	n = old + 1;
	linchpin_return(old);
}

static void *work(void *arg)
{
	for (int i = 0; i < 4; i++)
		inc();
	return arg;
}

int main(void)
{
	pthread_t t[3];

	linchpin_object(&n, "counter");
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}

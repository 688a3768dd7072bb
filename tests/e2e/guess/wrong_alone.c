/* SPDX-License-Identifier: MIT
 *
 * fetch_inc adds 2, wrong even in a program with one thread: found, and no lines are offered to
 * be made atomic, which would not make it right.
 */
#include <linchpin.h>
#include <pthread.h>

static int n, item[8];

static void *work(void *arg)
{
	int old;

	linchpin_call(NULL, "fetch_inc");
	old = n;
	n = old + 2;
	linchpin_return(old);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	linchpin_object(NULL, "counter");
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A constructor may say what the object is: found.
 */
#include <linchpin.h>
#include <pthread.h>

static int n;

__attribute__((constructor)) static void say(void)
{
	linchpin_object(NULL, "counter");
}

static void *work(void *arg)
{
	int old;

	linchpin_call(NULL, "fetch_inc");
	old = n;
	n = old + 1;
	linchpin_return(old);
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

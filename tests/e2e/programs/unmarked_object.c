/* SPDX-License-Identifier: MIT
 *
 * A counter that loses increments. Its operations are marked, but it has no specification.
 */
#include <linchpin.h>
#include <pthread.h>

static int counter;

static int next(void)
{
	int value;

	linchpin_call(&counter, "next");
	value = counter;
	counter = value + 1;
	linchpin_return(value);
	return value;
}

static void *thread(void *unused)
{
	(void)unused;
	next();
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, thread, NULL);
	pthread_create(&b, NULL, thread, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

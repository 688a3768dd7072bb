/* SPDX-License-Identifier: MIT
 *
 * C11 7.26.5.1: a new thread has the floating-point environment of the one that made it.
 */
#include <fenv.h>
#include <pthread.h>
#include <stdlib.h>

static int x;

static void *work(void *arg)
{
	x++;
	if (fegetround() != FE_UPWARD)
		abort();
	return arg;
}

int main(void)
{
	pthread_t a, b;

	fesetround(FE_UPWARD);
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

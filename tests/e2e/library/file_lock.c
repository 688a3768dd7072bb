/* SPDX-License-Identifier: MIT
 *
 * Flockfile is a recursive lock that funlockfile gives back.
 */
#include <pthread.h>
#include <stdio.h>

static int x;

static void *work(void *arg)
{
	flockfile(stderr);
	flockfile(stderr);
	x++;
	funlockfile(stderr);
	funlockfile(stderr);
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

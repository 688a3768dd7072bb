/* SPDX-License-Identifier: MIT
 *
 * Main leaves by pthread_exit; the last thread to end ends the process, which calls what atexit
 * registered: abort must be found when the sum is 2.
 */
#include <pthread.h>
#include <stdlib.h>

static int x;

static void last(void)
{
	if (x == 2)
		abort();
}

static void *work(void *arg) { x++; return arg; }

int main(void)
{
	pthread_t t;

	atexit(last);
	pthread_create(&t, NULL, work, NULL);
	x++;
	pthread_exit(NULL);
}

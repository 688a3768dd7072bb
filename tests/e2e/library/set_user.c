/* SPDX-License-Identifier: MIT
 *
 * Seteuid(geteuid()) sets what is there already and returns.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

static int x;

static void *work(void *arg) { x++; return arg; }

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	x++;
	if (seteuid(geteuid()))
		return 1;
	pthread_join(t, NULL);
	return 0;
}

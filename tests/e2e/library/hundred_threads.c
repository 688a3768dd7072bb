/* SPDX-License-Identifier: MIT
 *
 * One after another, so never more than two at once; POSIX sets no bound on how many there may
 * have been.
 */
#include <pthread.h>

static int x;

static void *work(void *arg) { x++; return arg; }

int main(void)
{
	pthread_t t;

	for (int i = 0; i < 100; i++) {
		pthread_create(&t, NULL, work, NULL);
		pthread_join(t, NULL);
	}
	return x != 100;
}

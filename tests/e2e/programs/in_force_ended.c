/* SPDX-License-Identifier: MIT
 *
 * A thread may have ended when another one joins it; what it did is not before what that one did earlier.
 */
#include <pthread.h>
#include <stdlib.h>

static volatile int left = 2, given;

static void *take(void *arg)
{
	volatile int *wanted = arg;
	int before, n = *wanted;

	before = left;     /* @take.read */
	left = before - n; /* @take.write */
	given += n;        /* @take.give */
	return NULL;
}

static int *wish(void)
{
	int *n = malloc(sizeof *n);

	*n = 1; /* @wish */
	return n;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, take, wish());
	pthread_create(&b, NULL, take, wish());
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

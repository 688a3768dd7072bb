/* SPDX-License-Identifier: MIT
 *
 * Main returns first, and the process ends with its last thread: an execution that shows the race ends so, too.
 *
 * hooks: 1
 * plain: 1
 */
#include <pthread.h>

int x;

static void *writes(void *unused)
{
	x = 2;
	return unused;
}

static void *makes(void *unused)
{
	pthread_t t;

	pthread_create(&t, NULL, writes, NULL);
	x = 1;
	return unused;
}

int main(void)
{
	pthread_t t;

	return pthread_create(&t, NULL, makes, NULL);
}

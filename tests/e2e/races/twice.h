/* SPDX-License-Identifier: MIT
 *
 * What two threads do that do the same.
 */
#include <pthread.h>
#include <stddef.h>

static void twice(void *(*work)(void *), void *arg)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, arg);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
}

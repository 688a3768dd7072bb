/* SPDX-License-Identifier: MIT
 *
 * A counter without a lock, beside one with a lock.
 *
 * hooks: 1
 * plain: 1
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int bare, locked;

static void *work(void *arg)
{
	(void)arg;
	bare++;
	pthread_mutex_lock(&m);
	locked++;
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return bare + locked > 9;
}

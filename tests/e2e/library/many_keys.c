/* SPDX-License-Identifier: MIT
 *
 * There are 1024 keys (PTHREAD_KEYS_MAX), and all their destructors run.
 */
#include <pthread.h>

static pthread_key_t key[600];
static int ended, x;

static void end(void *value) { ++*(int *)value; }

static void *work(void *arg)
{
	for (int i = 0; i < 600; i++)
		pthread_setspecific(key[i], &ended);
	x++;
	return arg;
}

int main(void)
{
	pthread_t t;

	for (int i = 0; i < 600; i++)
		pthread_key_create(&key[i], end);
	pthread_create(&t, NULL, work, NULL);
	x++;
	pthread_join(t, NULL);
	return ended != 600;
}

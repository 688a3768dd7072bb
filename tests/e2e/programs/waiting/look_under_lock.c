/* SPDX-License-Identifier: MIT
 *
 * Looks under the lock until there is work, which always comes.
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int work;

static void *looks(void *arg)
{
	int got;

	do {
		pthread_mutex_lock(&m);
		got = work;
		pthread_mutex_unlock(&m);
	} while (!got);
	return arg;
}

static void *gives(void *arg)
{
	pthread_mutex_lock(&m);
	work = 1;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, looks, NULL);
	pthread_create(&b, NULL, gives, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

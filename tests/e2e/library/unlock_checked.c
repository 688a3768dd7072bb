/* SPDX-License-Identifier: MIT
 *
 * An error-checking mutex answers EPERM to such an unlock, which is defined.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

static pthread_mutex_t m;
static int x;

static void *work(void *arg)
{
	assert(pthread_mutex_unlock(&m) == EPERM);
	x++;
	return arg;
}

int main(void)
{
	pthread_mutexattr_t k;
	pthread_t t;

	pthread_mutexattr_init(&k);
	pthread_mutexattr_settype(&k, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&m, &k);
	pthread_create(&t, NULL, work, NULL);
	x++;
	pthread_join(t, NULL);
	return 0;
}

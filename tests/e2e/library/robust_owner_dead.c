/* SPDX-License-Identifier: MIT
 *
 * Who locks a robust mutex whose owner has ended gets EOWNERDEAD, and may go on. Where nobody expects
 * that, assert must be found.
 */
#include <assert.h>
#include <pthread.h>
#include <errno.h>
static pthread_mutex_t m;
static int x;

static void *one(void *arg)
{
	pthread_mutex_lock(&m);
	x = 1;
	return arg;
}

static void *other(void *arg)
{
	int r = pthread_mutex_lock(&m);

#ifdef UNEXPECTED
	assert(!r);
#endif
	if (r == EOWNERDEAD)
		pthread_mutex_consistent(&m);
	x = 2;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_mutexattr_t k;

	pthread_mutexattr_init(&k);
	pthread_mutexattr_setrobust(&k, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&m, &k);
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

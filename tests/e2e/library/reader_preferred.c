/* SPDX-License-Identifier: MIT
 *
 * The usual kind lets the second read lock pass a waiting writer.
 */
#include <assert.h>
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static volatile int x;

static void *one(void *arg)
{
	pthread_rwlock_rdlock(&l);
	pthread_rwlock_rdlock(&l);
	(void)x;
	pthread_rwlock_unlock(&l);
	pthread_rwlock_unlock(&l);
	return arg;
}

static void *other(void *arg)
{
	pthread_rwlock_wrlock(&l);
	x++;
	pthread_rwlock_unlock(&l);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

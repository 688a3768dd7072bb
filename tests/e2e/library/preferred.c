/* SPDX-License-Identifier: MIT
 *
 * Where writers are preferred, one that waits between the two read locks stops the second, and waits
 * for the first: deadlock must be found. The usual kind lets the second read lock pass.
 */
#define _GNU_SOURCE
#include <pthread.h>

static pthread_rwlock_t l;
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

	pthread_rwlockattr_t k;

	pthread_rwlockattr_init(&k);
#ifdef WRITERS
	pthread_rwlockattr_setkind_np(&k, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
#endif
	pthread_rwlock_init(&l, &k);
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

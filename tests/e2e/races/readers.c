/* SPDX-License-Identifier: MIT
 *
 * A write by who holds a lock for reading only.
 *
 * hooks: 1
 * plain: 1
 */
#include <pthread.h>

static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static int value, hits;

static void *work(void *arg)
{
	int v;

	(void)arg;
	pthread_rwlock_rdlock(&l);
	v = value;
	hits++;
	pthread_rwlock_unlock(&l);
	pthread_rwlock_wrlock(&l);
	value = v + 1;
	pthread_rwlock_unlock(&l);
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return hits + value > 9;
}

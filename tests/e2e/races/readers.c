/* SPDX-License-Identifier: MIT
 *
 * A write by who holds a lock for reading only.
 *
 * hooks: 1
 * plain: 1
 */
#include "twice.h"

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
	twice(work, NULL);
	return hits + value > 9;
}

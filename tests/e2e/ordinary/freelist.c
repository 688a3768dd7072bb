/* SPDX-License-Identifier: MIT
 *
 * A pool of blocks that is not empty when the threads start.
 * With FAULTY get reads the first block before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

struct block {
	struct block *next;
	char data[24];
};
static struct block pool[3], *avail;
static pthread_mutex_t pool_lock = PTHREAD_MUTEX_INITIALIZER;

struct block *pool_get(void)
{
	IF_FAULTY(struct block *b = avail;)
	pthread_mutex_lock(&pool_lock);
	IF_CORRECT(struct block *b = avail;)
	if (b)
		avail = b->next;
	pthread_mutex_unlock(&pool_lock);
	return b;
}

void pool_put(struct block *b)
{
	pthread_mutex_lock(&pool_lock);
	b->next = avail;
	avail = b;
	pthread_mutex_unlock(&pool_lock);
}

static void *one(void *arg)
{
	struct block *b = pool_get();
	r[0] = b != NULL;
	if (b)
		pool_put(b);
	r[1] = pool_get() != NULL;
	return arg;
}

static void *two(void *arg)
{
	r[2] = pool_get() != NULL;
	r[3] = pool_get() != NULL;
	return arg;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pool_put(&pool[i]);
	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A set of bits; 0 is success, -1 failure.
 * With FAULTY add reads the bits before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

typedef struct bitset {
	unsigned long w;
	pthread_mutex_t mutex;
} bitset;
static bitset bs = { 0, PTHREAD_MUTEX_INITIALIZER };

int bitset_add(bitset *b, int i)
{
	int status = -1;
	IF_FAULTY(unsigned long w = b->w;)
	pthread_mutex_lock(&b->mutex);
	IF_CORRECT(unsigned long w = b->w;)
	if (!(w & 1ul << i)) {
		b->w = w | 1ul << i;
		status = 0;
	}
	pthread_mutex_unlock(&b->mutex);
	return status;
}

int bitset_remove(bitset *b, int i)
{
	int status = -1;
	pthread_mutex_lock(&b->mutex);
	if (b->w & 1ul << i) {
		b->w &= ~(1ul << i);
		status = 0;
	}
	pthread_mutex_unlock(&b->mutex);
	return status;
}

int bitset_contains(bitset *b, int i)
{
	pthread_mutex_lock(&b->mutex);
	int x = !!(b->w & 1ul << i);
	pthread_mutex_unlock(&b->mutex);
	return x;
}

static void *one(void *arg)
{
	r[0] = bitset_add(&bs, 3);
	r[1] = bitset_contains(&bs, 3);
	return arg;
}

static void *two(void *arg)
{
	r[2] = bitset_add(&bs, 3);
	r[3] = bitset_remove(&bs, 3);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Tokens of a rate limiter, at most two.
 * With FAULTY try_acquire looks before it locks.
 *
 * faulty: limit
 */
#include "ordinary.h"

struct bucket {
	pthread_mutex_t mtx;
	int tokens;
};
static struct bucket tb = { PTHREAD_MUTEX_INITIALIZER, 1 };

bool bucket_try_acquire(struct bucket *b)
{
	bool got = false;
	IF_FAULTY(int t = b->tokens;)
	pthread_mutex_lock(&b->mtx);
	IF_CORRECT(int t = b->tokens;)
	if (t > 0) {
		b->tokens--;
		got = true;
	}
	pthread_mutex_unlock(&b->mtx);
	return got;
}

void bucket_refill(struct bucket *b, int n)
{
	pthread_mutex_lock(&b->mtx);
	b->tokens += n;
	if (b->tokens > 2)
		b->tokens = 2;
	pthread_mutex_unlock(&b->mtx);
}

static void *one(void *arg)
{
	r[0] = bucket_try_acquire(&tb);
	bucket_refill(&tb, 1);
	return arg;
}

static void *two(void *arg)
{
	r[1] = bucket_try_acquire(&tb);
	r[2] = bucket_try_acquire(&tb);
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

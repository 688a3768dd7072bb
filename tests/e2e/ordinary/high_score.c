/* SPDX-License-Identifier: MIT
 *
 * The best of all scores, without a lock. Only one of its two functions has the name of an operation.
 * With FAULTY submit compares and writes in two steps, and a lower score can stay.
 *
 * faulty: limit
 */
#include "ordinary.h"

static atomic_int best;

bool score_submit(int score)
{
	int now = atomic_load(&best);

	while (score > now) {
		IF_FAULTY(atomic_store(&best, score);
			  return true;)
		IF_CORRECT(if (atomic_compare_exchange_weak(&best, &now, score)) return true;)
	}
	return false;
}

int score_best(void)
{
	return atomic_load(&best);
}

static void *one(void *arg)
{
	r[0] = score_submit(10);
	r[1] = score_best();
	return arg;
}

static void *two(void *arg)
{
	r[2] = score_submit(20);
	r[3] = score_best();
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

/* SPDX-License-Identifier: MIT
 *
 * An atomic word that starts with 4.
 * With FAULTY cas compares and writes in two steps.
 *
 * faulty: found
 */
#include "ordinary.h"

static atomic_uint word = 4;

unsigned word_get(void)
{
	return atomic_load(&word);
}

bool word_cas(unsigned from, unsigned to)
{
	IF_CORRECT(return atomic_compare_exchange_strong(&word, &from, to);)
	IF_FAULTY(if (atomic_load(&word) != from) return false; atomic_store(&word, to);
		  return true;)
}

static void *one(void *arg)
{
	r[0] = word_cas(4, 5);
	r[1] = word_get();
	return arg;
}

static void *two(void *arg)
{
	r[2] = word_cas(4, 6);
	r[3] = word_cas(5, 7);
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

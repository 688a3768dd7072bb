/* SPDX-License-Identifier: MIT
 *
 * Atomic accesses of a plain variable by builtin functions, and a lock made of them.
 *
 * hooks: 0
 * plain: 0
 */
#include <pthread.h>

static int lock, count, seen;

static void *work(void *arg)
{
	(void)arg;
	while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE))
		;
	count++;
	__atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
	__atomic_store_n(&seen, 1, __ATOMIC_RELAXED);
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	int sum;

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	sum = __atomic_load_n(&seen, __ATOMIC_RELAXED);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return count + sum > 9;
}

/* SPDX-License-Identifier: MIT
 *
 * Reads by a compare-and-swap that changes nothing; the other thread always sets it.
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int work;

static void *looks(void *arg)
{
	int got;

	do {
		got = 0;
		__atomic_compare_exchange_n(&work, &got, 0, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	} while (!got);
	return arg;
}

static void *gives(void *arg)
{
	pthread_mutex_lock(&m);
	work = 1;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, looks, NULL);
	pthread_create(&b, NULL, gives, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

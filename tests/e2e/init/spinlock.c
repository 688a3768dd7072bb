/* SPDX-License-Identifier: MIT
 *
 * wants: object mutex
 * wants: op lock() : my_lock(this)
 * wants: op unlock() : my_unlock(this)
 * verdict: 1
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct my {
	int held;
};

static struct my my;

void my_lock(struct my *l)
{
	while (__atomic_load_n(&l->held, __ATOMIC_SEQ_CST))
		;
	__atomic_store_n(&l->held, 1, __ATOMIC_SEQ_CST);
}

void my_unlock(struct my *l)
{
	__atomic_store_n(&l->held, 0, __ATOMIC_SEQ_CST);
}

static void *first(void *unused)
{
	my_lock(&my);
	my_unlock(&my);
	return unused;
}

static void *second(void *unused)
{
	my_lock(&my);
	my_unlock(&my);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

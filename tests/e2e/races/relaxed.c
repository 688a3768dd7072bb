/* SPDX-License-Identifier: MIT
 *
 * A relaxed flag hands nothing over. In machine code for x86 it does.
 *
 * hooks: 1
 * plain: 0
 */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int flag;
static int data;

static void *give(void *arg)
{
	(void)arg;
	data = 1;
	atomic_store_explicit(&flag, 1, memory_order_relaxed);
	return NULL;
}

int main(void)
{
	pthread_t t;
	int sum = 0;

	pthread_create(&t, NULL, give, NULL);
	if (atomic_load_explicit(&flag, memory_order_relaxed))
		sum = data;
	pthread_join(t, NULL);
	return sum > 9;
}

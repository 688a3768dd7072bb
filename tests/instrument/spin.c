/* SPDX-License-Identifier: MIT
 *
 * Loops that wait, and an increment that is not atomic: the same classes are expected with compiler
 * hooks and without.
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int lock, flag;
static int counted, plain, data;

static void take(void)
{
	int free_now = 0;

	while (!atomic_compare_exchange_strong(&lock, &free_now, 1)) {
		free_now = 0;
		sched_yield();
	}
}

static __attribute__((noinline)) void wait_for_flag(void)
{
	while (!atomic_load(&flag))
		__builtin_ia32_pause();
}

static void *first(void *unused)
{
	take();
	counted++;
	atomic_store(&lock, 0);
	data = 7;
	atomic_store(&flag, 1);
	plain++;
	return unused;
}

static void *second(void *unused)
{
	take();
	counted++;
	atomic_store(&lock, 0);
	wait_for_flag();
	assert(data == 7);
	plain++;
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(counted == 2);
	assert(plain == 2);
	return 0;
}

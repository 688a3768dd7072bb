/* SPDX-License-Identifier: MIT
 *
 * Two threads wait on one word, each for its own bit. A wake of bit 1 must pass over the one that has come first
 * with bit 0, and leave it waiting until its own wake comes. With WRONG its bit is never woken.
 */
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic unsigned word;

static long futex(int op, unsigned value, unsigned mask)
{
	return syscall(SYS_futex, &word, op, value, NULL, NULL, mask);
}

static void *waiter(void *bit)
{
	long r = futex(FUTEX_WAIT_BITSET_PRIVATE, 0, 1U << (long)bit);

	assert(!r || errno == EAGAIN);
	return NULL;
}

int main(void)
{
	pthread_t thread[2];

	assert(futex(FUTEX_WAIT_BITSET, 0, 0) == -1 && errno == EINVAL);
	assert(futex(FUTEX_WAKE_BITSET, 1, 0) == -1 && errno == EINVAL);
	for (long i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, waiter, (void *)i);
	assert(futex(FUTEX_WAKE_BITSET_PRIVATE, 2, 4) == 0);
	atomic_store(&word, 1);
	assert(futex(FUTEX_WAKE_BITSET_PRIVATE, 2, 2) <= 1);
#ifndef WRONG
	assert(futex(FUTEX_WAKE_PRIVATE, 2, 0) <= 2);
#endif
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	return 0;
}

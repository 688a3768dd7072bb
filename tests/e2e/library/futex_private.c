/* SPDX-License-Identifier: MIT
 *
 * Who waits with FUTEX_PRIVATE_FLAG is woken, and moved, by calls with that flag alone; and the other way round. A wake
 * of the other kind passes over both. With WRONG one is left.
 */
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic unsigned word, other;

static long futex(void *at, int op, unsigned value, long value2, void *to)
{
	return syscall(SYS_futex, at, op, value, value2, to, 0);
}

static void *waiter(void *private)
{
	long r = futex(&word, private ? FUTEX_WAIT_PRIVATE : FUTEX_WAIT, 0, 0, NULL);

	assert(!r || errno == EAGAIN);
	return NULL;
}

static void checks(void)
{
	assert(futex((char *)&word + 1, FUTEX_WAIT, 0, 0, NULL) == -1 && errno == EINVAL);
	assert(futex((char *)&word + 2, FUTEX_WAKE_PRIVATE, 1, 0, NULL) == -1 && errno == EINVAL);
	assert(futex(&word, FUTEX_REQUEUE, 1, 1, (char *)&other + 1) == -1 && errno == EINVAL);
}

int main(void)
{
	pthread_t thread[2];

	checks();
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&thread[i], NULL, waiter, (void *)i);
	checks();
	word = 1;
	assert(futex(&word, FUTEX_WAKE_PRIVATE, 2, 0, NULL) <= 1);
	assert(futex(&word, FUTEX_REQUEUE, 0, 2, &other) <= 1);
	assert(futex(&word, FUTEX_WAKE, 2, 0, NULL) == 0);
#ifdef WRONG
	futex(&other, FUTEX_WAKE_PRIVATE, 2, 0, NULL);
#else
	futex(&other, FUTEX_WAKE, 2, 0, NULL);
#endif
	pthread_join(thread[0], NULL);
	pthread_join(thread[1], NULL);
	return 0;
}

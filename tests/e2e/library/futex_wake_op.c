/* SPDX-License-Identifier: MIT
 *
 * One call that changes a word and wakes who waits for it and for another one. With -DWRONG it compares the old value
 * with the wrong one, so the second thread may be left.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int ready, given;

static void *waits_ready(void *unused)
{
	while (!ready)
		syscall(SYS_futex, &ready, FUTEX_WAIT, 0, NULL, NULL, 0);
	return unused;
}

static void *waits_given(void *unused)
{
	while (given != 5)
		syscall(SYS_futex, &given, FUTEX_WAIT, 2, NULL, NULL, 0);
	return unused;
}

int main(void)
{
	pthread_t a, b;
#ifdef WRONG
	int code = FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_EQ, 5);
#else
	int code = FUTEX_OP(FUTEX_OP_ADD, 3, FUTEX_OP_CMP_EQ, 2);
#endif

	given = 2;
	pthread_create(&a, NULL, waits_ready, NULL);
	pthread_create(&b, NULL, waits_given, NULL);
	ready = 1;
	if (syscall(SYS_futex, &ready, FUTEX_WAKE_OP, 1, 1, &given, code) < 0)
		abort();
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return given == 5 ? 0 : 9;
}

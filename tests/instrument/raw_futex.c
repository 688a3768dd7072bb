/* SPDX-License-Identifier: MIT
 *
 * A lock that calls the kernel by itself, without libc: 0 free, 1 taken, 2 taken and waited for.
 * Values of registers, flags and errno live across the call.
 */
#include <assert.h>
#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/syscall.h>

static atomic_int lock;
static int count;

static inline long futex(atomic_int *word, int op, int value)
{
	register void *timeout __asm__("r10") = 0;
	register void *word2 __asm__("r8") = 0;
	register long value3 __asm__("r9") = 0;
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(SYS_futex), "D"(word), "S"(op | FUTEX_PRIVATE_FLAG), "d"(value),
			   "r"(timeout), "r"(word2), "r"(value3)
			 : "rcx", "r11", "memory");
	return result;
}

static void take(void)
{
	int free = 0;

	if (atomic_compare_exchange_strong(&lock, &free, 1))
		return;
	while (atomic_exchange(&lock, 2)) {
		long result = futex(&lock, FUTEX_WAIT, 2);

		assert(result == 0 || result == -EAGAIN);
		assert(errno == 77);
	}
}

static void give(void)
{
	if (atomic_exchange(&lock, 0) == 2) {
		long result = futex(&lock, FUTEX_WAKE, 1);

		assert(result == 0 || result == 1);
	}
}

static void *worker(void *unused)
{
	errno = 77;
	take();
	count++;
	give();
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, worker, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(count == 2);
	return 0;
}

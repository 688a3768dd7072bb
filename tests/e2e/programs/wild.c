/* SPDX-License-Identifier: MIT
 *
 * One access at an address where nothing is, by the main thread before there are others, by a thread, or by
 * the main thread when the others have ended.
 *
 *	wild OPERATION before|among|after
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
	long long a, b;
} pair;

static char *nowhere = (char *)0xdead0000;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared, operation;
static volatile long long sink;
static pair two;

#define AT(type) (*(type *)nowhere)
#define ATOMIC(type) ((_Atomic type *)nowhere)

#define SIZES(k, type)                                                                             \
	case k + 0: sink = *(volatile type *)nowhere; break;                                       \
	case k + 1: *(volatile type *)nowhere = 1; break;                                          \
	case k + 2: sink = atomic_load(ATOMIC(type)); break;                                       \
	case k + 3: atomic_store(ATOMIC(type), 1); break;                                          \
	case k + 4: sink = atomic_fetch_add(ATOMIC(type), 1); break;                               \
	case k + 5: sink = atomic_exchange(ATOMIC(type), 1); break;                                \
	case k + 6: {                                                                              \
		type expected = 0;                                                                 \
		sink = atomic_compare_exchange_strong(ATOMIC(type), &expected, 1);                 \
		break;                                                                             \
	}                                                                                          \
	case k + 7: sink = atomic_fetch_or(ATOMIC(type), 1); break;

__attribute__((noinline)) static void access_nowhere(void)
{
	switch (operation) {
	SIZES(0, char) /* one byte */
	SIZES(8, short) /* two */
	SIZES(16, int) /* four */
	SIZES(24, long long) /* eight */
	case 32: two = AT(pair); break;
	case 33: AT(pair) = two; break;
	case 34: memcpy(nowhere, &two, (size_t)operation); break;
	case 35: memset(nowhere, operation, 100); break;
	case 36: sink = (long long)strlen(nowhere); break;
	case 37: pthread_mutex_lock((pthread_mutex_t *)nowhere); break;
	case 38: sink = __sync_lock_test_and_set((int *)nowhere, 1); break;
	case 39: sink = __sync_bool_compare_and_swap((long *)nowhere, 0, 1); break;
	}
}

static void *work(void *arg)
{
	pthread_mutex_lock(&lock);
	shared++;
	pthread_mutex_unlock(&lock);
	if (arg)
		access_nowhere();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	(void)argc;
	operation = atoi(argv[1]);
	if (argv[2][0] == 'b')
		access_nowhere();
	pthread_create(&a, NULL, work, argv[2][1] == 'm' ? argv : NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (argv[2][1] == 'f')
		access_nowhere();
	return 0;
}

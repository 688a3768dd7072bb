/* SPDX-License-Identifier: MIT
 *
 * Functions that are hard or impossible to record as operations.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct big {
	long words[5];
};

static signed char cell;
static long total;

/* Inlined wherever it is called. */
static inline __attribute__((always_inline)) void box_add(int value)
{
	total += value;
}

__attribute__((noinline)) struct big box_copy(int64_t key)
{
	total += key;
	return (struct big){ { key } };
}

__attribute__((noinline)) void box_scale(double factor, int value)
{
	total += (long)(factor * value);
}

__attribute__((noinline)) void box_seven(int a, int b, int c, int d, int e, int f, int seventh)
{
	total += a + b + c + d + e + f + seventh;
}

/* Small types: the upper halves of registers mean nothing. */
__attribute__((noinline)) signed char box_swap(signed char value, unsigned short tag, bool yes)
{
	return __atomic_exchange_n(&cell, yes ? value : (signed char)tag, __ATOMIC_SEQ_CST);
}

static void *thread(void *unused)
{
	volatile long wide = 0x1234567fffffffeL;

	(void)unused;
	box_swap((signed char)wide, (unsigned short)(wide >> 4), wide != 0);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	box_add(1);
	box_copy(1);
	box_scale(1.5, 2);
	box_seven(1, 2, 3, 4, 5, 6, 7);
	pthread_create(&a, NULL, thread, NULL);
	pthread_create(&b, NULL, thread, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

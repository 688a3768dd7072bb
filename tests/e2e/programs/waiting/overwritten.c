/* SPDX-License-Identifier: MIT
 *
 * Two wait for a flag that nobody sets. One counts up and down meanwhile, and the other reads that,
 * so whatever it has read is overwritten.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_uchar looked;
static volatile unsigned char ready;

static void *reads(void *arg)
{
	do {
		(void)atomic_load(&looked);
		(void)ready;
		usleep(1);
	} while (!ready);
	return arg;
}

static void *counts(void *arg)
{
	do {
		atomic_fetch_add(&looked, 1);
		(void)ready;
		atomic_fetch_sub(&looked, 1);
	} while (!ready);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, reads, NULL);
	pthread_create(&b, NULL, counts, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

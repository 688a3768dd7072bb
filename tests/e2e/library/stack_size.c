/* SPDX-License-Identifier: MIT
 *
 * The thread has the stack that its attribute asks for, so 32 MiB of 64 can be used.
 */
#include <pthread.h>
#include <string.h>

static int x;

static __attribute__((noinline)) void fill(char *p)
{
	memset(p, 1, 32ul << 20);
	x += p[5];
}

static void *work(void *arg)
{
	char big[32ul << 20];

	fill(big);
	return arg;
}

int main(void)
{
	pthread_attr_t k;
	pthread_t a, b;

	pthread_attr_init(&k);
	pthread_attr_setstacksize(&k, 64ul << 20);
	pthread_create(&a, &k, work, NULL);
	pthread_create(&b, &k, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

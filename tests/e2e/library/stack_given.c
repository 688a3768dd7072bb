/* SPDX-License-Identifier: MIT
 *
 * The thread runs on the stack that its attribute gives.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>

static int x;
static char stack[1 << 18] __attribute__((aligned(4096)));

static void *work(void *arg)
{
	char *here = __builtin_frame_address(0);

	x++;
	if (here < stack || here >= stack + sizeof stack)
		abort();
	return arg;
}

int main(void)
{
	pthread_attr_t k;
	pthread_t t;

	pthread_attr_init(&k);
	pthread_attr_setstack(&k, stack, sizeof stack);
	pthread_create(&t, &k, work, NULL);
	x++;
	pthread_join(t, NULL);
	return 0;
}

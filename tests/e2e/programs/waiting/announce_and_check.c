/* SPDX-License-Identifier: MIT
 *
 * The reader announces what it looks at each time it looks; the writer always sets it.
 */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static _Atomic(int *) current, announced;
static int x = 5;

static void *reads(void *arg)
{
	int *p;

	do {
		sched_yield();
		do {
			p = atomic_load(&current);
			atomic_store(&announced, p);
		} while (p != atomic_load(&current));
	} while (!p);
	return arg;
}

static void *writes(void *arg)
{
	(void)atomic_load(&announced);
	atomic_store(&current, &x);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, reads, NULL);
	pthread_create(&b, NULL, writes, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

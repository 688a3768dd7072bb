/* SPDX-License-Identifier: MIT
 *
 * Where the lock is not to be had, push goes on without it.
 *
 * verdict: 1
 */
#include <pthread.h>

#define OP __attribute__((noinline))
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int items[8], n;

OP int stack_push(int v)
{
	int locked = !pthread_mutex_trylock(&m), at = n;

	items[at] = v;
	n = at + 1;
	if (locked)
		pthread_mutex_unlock(&m);
	return 1;
}

OP int stack_pop(void)
{
	int v = -1;

	pthread_mutex_lock(&m);
	if (n)
		v = items[--n];
	pthread_mutex_unlock(&m);
	return v;
}

static void *work(void *arg)
{
	stack_push((int)(long)arg);
	stack_pop();
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (long i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}

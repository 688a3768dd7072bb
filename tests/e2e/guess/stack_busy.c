/* SPDX-License-Identifier: MIT
 *
 * Operations that give up if another one is busy, with results of their own. One at a time they never
 * do, so what a thread does after that is not known, and not wrong.
 *
 * verdict: 0
 */
#include <pthread.h>

#define OP __attribute__((noinline))
#define BUSY (-2)
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int items[8], n;

OP int stack_push(int v)
{
	if (pthread_mutex_trylock(&m))
		return 0;
	items[n++] = v;
	pthread_mutex_unlock(&m);
	return 1;
}

OP int stack_pop(void)
{
	int v = -1;

	if (pthread_mutex_trylock(&m))
		return BUSY;
	if (n)
		v = items[--n];
	pthread_mutex_unlock(&m);
	return v;
}

static void *work(void *arg)
{
	(void)arg;
	stack_push(1);
	stack_pop();
	return NULL;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}

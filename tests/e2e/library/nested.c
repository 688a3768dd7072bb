/* SPDX-License-Identifier: MIT
 *
 * Threads that begin in a function inside a function. It needs the variables around it, so gcc makes a piece of code on
 * main's stack, and has stacks executable. With -DWRONG two of them add without the lock.
 */
#include <assert.h>
#include <pthread.h>

int main(void)
{
	pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	pthread_t t[2];
	int sum = 0;

	void *work(void *n)
	{
#ifndef WRONG
		pthread_mutex_lock(&m);
#endif
		sum++;
#ifndef WRONG
		pthread_mutex_unlock(&m);
#endif
		return n;
	}
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(sum == 2);
	return 0;
}

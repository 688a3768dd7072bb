/* SPDX-License-Identifier: MIT
 *
 * Calls of the functions in middle.S, some of which are not to be instrumented.
 */
#include <assert.h>
#include <pthread.h>

int outer(int x);
int inner(void);

static void *worker(void *unused)
{
	assert(outer(1) == 1);
	assert(outer(-1) == 2);
	assert(inner() == 2);
	return unused;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, worker, NULL);
	worker(NULL);
	pthread_join(thread, NULL);
	return 0;
}

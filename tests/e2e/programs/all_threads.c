/* SPDX-License-Identifier: MIT
 *
 * As many threads at once as there may be, each with calls, locks and memory of its own. With an argument the
 * last one that comes fails.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>

#define THREADS 63

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int arrived, fails;

__attribute__((noinline)) static int one_more(int *count)
{
	return ++*count;
}

static void *work(void *number)
{
	int *own = malloc(sizeof *own), order;

	*own = 0;
	pthread_mutex_lock(&lock);
	order = one_more(&arrived);
	pthread_mutex_unlock(&lock);
	one_more(own);
	free(own);
	assert(!fails || order < THREADS || number == (void *)THREADS);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	(void)argv;
	fails = argc > 1;
	for (long i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert(arrived == THREADS);
	return 0;
}

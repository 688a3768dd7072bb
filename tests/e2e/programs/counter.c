/* SPDX-License-Identifier: MIT
 *
 * A counter that THREADS threads increment ROUNDS times each: without any lock, or with one when the first argument is
 * "locked".
 */
#include <linchpin.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static int value;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int increment(int locked)
{
	int old;

	if (locked)
		pthread_mutex_lock(&lock);
	old = value;	 /* @read */
	value = old + 1; /* @write */
	if (locked)
		pthread_mutex_unlock(&lock);
	return old;
}

/* All input is in the argument, so that the threads share the counter and nothing else. */
static void *worker(void *argument)
{
	int rounds = (int)((uintptr_t)argument >> 1), locked = (uintptr_t)argument & 1;
	int old;

	for (int i = 0; i < rounds; i++) {
		linchpin_call(&value, "fetch_inc");
		old = increment(locked);
		linchpin_return(old);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int locked = argc > 1 && !strcmp(argv[1], "locked");
	int threads = argc > 2 ? atoi(argv[2]) : 2;
	int rounds = argc > 3 ? atoi(argv[3]) : 1;
	pthread_t thread[8];

	linchpin_object(&value, "counter");
	for (int i = 0; i < threads && i < 8; i++)
		pthread_create(&thread[i], NULL, worker, (void *)((uintptr_t)rounds << 1 | locked));
	for (int i = 0; i < threads && i < 8; i++)
		pthread_join(thread[i], NULL);
	return 0;
}

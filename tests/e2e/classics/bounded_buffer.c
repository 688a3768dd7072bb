/* SPDX-License-Identifier: MIT
 *
 * A buffer with one place, a producer of two and two consumers. WRONG: who was woken does not look again (`if`, not
 * `while`), but another consumer may have been first.
 */
#include "threads.h"

#ifdef WRONG
#define WHILE if
#else
#define WHILE while
#endif

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static int n;

static void put(void)
{
	pthread_mutex_lock(&m);
	WHILE(n == 1)
		pthread_cond_wait(&not_full, &m);
	n++;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&m);
}

static void *work(void *arg)
{
	if ((intptr_t)arg == 0) {
		put();
		put();
		return NULL;
	}
	pthread_mutex_lock(&m);
	WHILE(n == 0)
		pthread_cond_wait(&not_empty, &m);
	n--;
	assert(n >= 0);
	pthread_cond_signal(&not_full);
	pthread_mutex_unlock(&m);
	return NULL;
}

int main(void)
{
	run_threads(3, work);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A cell that take() waits for: an operation that is not always possible.
 */
#include <linchpin.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int cell;

static void *put(void *unused)
{
	(void)unused;
	linchpin_call(&cell, "put", 5);
	pthread_mutex_lock(&lock);
	cell = 5;
	pthread_cond_signal(&filled);
	pthread_mutex_unlock(&lock);
	linchpin_return_void();
	return NULL;
}

static void *take(void *unused)
{
	int value;

	(void)unused;
	linchpin_call(&cell, "take");
	pthread_mutex_lock(&lock);
	while (!cell)
		pthread_cond_wait(&filled, &lock);
	value = cell;
	cell = 0;
	pthread_mutex_unlock(&lock);
	linchpin_return(value);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, take, NULL);
	pthread_create(&b, NULL, put, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A constructor writes to every other page of a large pool: many short runs of zeroes, which must all
 * be zero again in the next execution.
 */
#include <assert.h>
#include <pthread.h>

#define PAGES 8400

static struct { int used; char rest[4092]; } pool[PAGES] __attribute__((aligned(4096)));
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

__attribute__((constructor)) static void fill(void)
{
	for (int i = 0; i < PAGES; i += 2)
		pool[i].used = 1;
}

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	pool[1].used++;
	pool[PAGES - 1].used++;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	assert(!pool[1].used && !pool[PAGES - 1].used && pool[PAGES - 2].used == 1);
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	assert(pool[1].used == 2 && pool[PAGES - 1].used == 2);
	return 0;
}

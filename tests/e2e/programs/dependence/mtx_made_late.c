/* SPDX-License-Identifier: MIT */
/* Right: mtx_init while the thread holds the mutex lets main in as well: abort (or misuse) must be found. */
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>
static mtx_t m;
static volatile int inside;

static void *early(void *arg)
{
	mtx_lock(&m);
	if (++inside != 1)
		abort();
	--inside;
	mtx_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, early, NULL);
	mtx_init(&m, mtx_plain);
	early(NULL);
	pthread_join(t, NULL);
	return 0;
}

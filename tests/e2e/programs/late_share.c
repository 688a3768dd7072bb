/* SPDX-License-Identifier: MIT
 *
 * The stack of a thread is shared in some executions only, so a search that has begun without it begins anew.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

static atomic_int go;
static _Atomic(int *) where;

static void *lend(void *arg)
{
	volatile int own = 1;

	(void)arg;
	if (atomic_load(&go)) {
		atomic_store(&where, (int *)&own);
		own = 2;
		for (int i = 0; i < 2 && atomic_load(&where); i++)
			;
	}
	return NULL;
}

static void *use(void *arg)
{
	int *p;

	(void)arg;
	atomic_store(&go, 1);
	p = atomic_load(&where);
	if (p)
		*p += 1;
	atomic_store(&where, NULL);
	return NULL;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, lend, NULL);
	pthread_create(&b, NULL, use, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

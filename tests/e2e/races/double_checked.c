/* SPDX-License-Identifier: MIT
 *
 * Double-checked locking done right.
 *
 * hooks: 0
 * plain: 0
 */
#include "twice.h"

#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(int *) value;

static int *get(void)
{
	int *v = atomic_load_explicit(&value, memory_order_acquire);

	if (v)
		return v;
	pthread_mutex_lock(&m);
	v = atomic_load_explicit(&value, memory_order_relaxed);
	if (!v) {
		v = malloc(sizeof *v);
		*v = 7;
		atomic_store_explicit(&value, v, memory_order_release);
	}
	pthread_mutex_unlock(&m);
	return v;
}

static void *work(void *arg)
{
	(void)arg;
	return *get() == 7 ? NULL : get();
}

int main(void)
{
	twice(work, NULL);
	return 0;
}

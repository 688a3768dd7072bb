/* SPDX-License-Identifier: MIT
 *
 * References counted by atomic operations; put says whether it was the last.
 * With FAULTY put reads and writes in two steps.
 *
 * faulty: found
 */
#include "ordinary.h"

struct obj {
	atomic_int refs;
	int freed;
};
static struct obj o = { 2, 0 };

void obj_get(struct obj *x)
{
	atomic_fetch_add(&x->refs, 1);
}

int obj_put(struct obj *x)
{
	IF_CORRECT(int last = atomic_fetch_sub(&x->refs, 1) == 1;)
	IF_FAULTY(int n = atomic_load(&x->refs); atomic_store(&x->refs, n - 1); int last = n == 1;)
	if (last)
		x->freed = 1;
	return last;
}

static void *one(void *arg)
{
	obj_get(&o);
	r[0] = obj_put(&o);
	r[1] = obj_put(&o);
	return arg;
}

static void *two(void *arg)
{
	r[2] = obj_put(&o);
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}

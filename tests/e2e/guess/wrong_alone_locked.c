/* SPDX-License-Identifier: MIT
 *
 * pop of an empty stack returns 0 instead of nothing, under its lock: found, and no lines are
 * offered to be made atomic.
 */
#include <linchpin.h>
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, item[4];

static void *pops(void *arg)
{
	int v;

	linchpin_call(NULL, "pop");
	pthread_mutex_lock(&m);
	v = item[n ? --n : 3];
	pthread_mutex_unlock(&m);
	linchpin_return(v);
	return arg;
}

static void *pushes(void *arg)
{
	linchpin_call(NULL, "push", 5);
	pthread_mutex_lock(&m);
	item[n++] = 5;
	pthread_mutex_unlock(&m);
	linchpin_return_void();
	return arg;
}

int main(void)
{
	pthread_t a, b;

	linchpin_object(NULL, "stack");
	pthread_create(&a, NULL, pops, NULL);
	pthread_create(&b, NULL, pushes, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

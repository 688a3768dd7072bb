/* SPDX-License-Identifier: MIT
 *
 * The pointer may be NULL when the thread comes to it: a crash of the program, not of the tool.
 */
#include <pthread.h>
#include <stdlib.h>

struct object {
#if defined MUTEX
	pthread_mutex_t o;
#elif defined RWLOCK
	pthread_rwlock_t o;
#elif defined CONDITION
	pthread_cond_t o;
#endif
	int v;
};
static struct object *volatile p;

static void *takes(void *arg)
{
	struct object *o = p;

#if defined MUTEX
	pthread_mutex_lock(&o->o);
	pthread_mutex_unlock(&o->o);
#elif defined RWLOCK
	pthread_rwlock_rdlock(&o->o);
	pthread_rwlock_unlock(&o->o);
#elif defined CONDITION
	pthread_cond_signal(&o->o);
#endif
	return arg;
}

static void *drops(void *arg) { p = NULL; return arg; }

int main(void)
{
	pthread_t a, b;

	p = calloc(1, sizeof *p);
	pthread_create(&a, NULL, takes, NULL);
	pthread_create(&b, NULL, drops, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

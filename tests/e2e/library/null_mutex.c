/* SPDX-License-Identifier: MIT
 *
 * The pointer may be NULL when the thread comes to it: a crash of the program, not of the tool.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

struct object { pthread_mutex_t m; int v; };
static struct object *volatile p;

static void *takes(void *arg)
{
	struct object *o = p;

	pthread_mutex_lock(&o->m);
	pthread_mutex_unlock(&o->m);
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

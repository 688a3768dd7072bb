/* SPDX-License-Identifier: MIT
 *
 * Main destroys and frees the mutex while the other thread may hold it or come to it: must be
 * found.
 */
#include <pthread.h>
#include <stdlib.h>

struct object { pthread_mutex_t m; int v; };
static struct object *p;

static void *work(void *arg)
{
	pthread_mutex_lock(&p->m);
	p->v++;
	pthread_mutex_unlock(&p->m);
	return arg;
}

int main(void)
{
	pthread_t t;

	p = calloc(1, sizeof *p);
	pthread_mutex_init(&p->m, NULL);
	pthread_create(&t, NULL, work, NULL);
	pthread_mutex_destroy(&p->m);
	free(p);
	pthread_join(t, NULL);
	return 0;
}

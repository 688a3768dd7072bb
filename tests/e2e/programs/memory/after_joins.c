/* SPDX-License-Identifier: MIT
 *
 * main uses a block when all threads are joined; the second of them has freed it.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *p, who;
static volatile int sink;

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	if (who++)
		free(p);
	pthread_mutex_unlock(&m);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	p = malloc(40);
	*p = 5;
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	switch (argc > 1 ? argv[1][0] : 0) {
	case 'r':
		sink = *p; /* @r */
		break;
	case 'w':
		*p = 4; /* @w */
		break;
	case 'x':
		__atomic_fetch_add(p, 1, __ATOMIC_SEQ_CST); /* @x */
		break;
	case 'm':
		memset(p, sink, 40 + sink); /* @m */
		break;
	}
	return 0;
}

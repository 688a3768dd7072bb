/* SPDX-License-Identifier: MIT
 *
 * Both may go round in lock step, but one of them alone always gets through: no error (at most a
 * note).
 */
#include <pthread.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void both(pthread_mutex_t *p, pthread_mutex_t *q)
{
	for (;;) {
		pthread_mutex_lock(p);
		if (!pthread_mutex_trylock(q))
			break;
		pthread_mutex_unlock(p);
		;
	}
	n++;
	pthread_mutex_unlock(q);
	pthread_mutex_unlock(p);
}

static void *one(void *arg) { both(&left, &right); return arg; }
static void *other(void *arg) { both(&right, &left); return arg; }

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

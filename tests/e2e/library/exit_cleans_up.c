/* SPDX-License-Identifier: MIT
 *
 * pthread_exit runs the clean-up handlers. With -fexceptions they are destructors.
 */
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void unlock(void *p) { pthread_mutex_unlock(p); }

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	pthread_cleanup_push(unlock, &m);
	x++;
	pthread_exit(arg);
	pthread_cleanup_pop(1);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

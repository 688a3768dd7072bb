/* SPDX-License-Identifier: MIT
 *
 * Two locks in two orders deadlock; that a sequential run does so as well makes no history wrong.
 */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;

__attribute__((noinline)) void cell_set(int v)
{
	pthread_mutex_lock(&a);
	n = v;
	pthread_mutex_unlock(&a);
}

static void *work(void *arg)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&b);
	n++;
	pthread_mutex_unlock(&b);
	pthread_mutex_unlock(&a);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	pthread_mutex_lock(&b);
	cell_set(1);
	pthread_mutex_unlock(&b);
	pthread_join(t, NULL);
	return 0;
}

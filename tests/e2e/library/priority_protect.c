/* SPDX-License-Identifier: MIT
 *
 * A mutex with the protocol PTHREAD_PRIO_PROTECT is a mutex like others.
 */
#include <pthread.h>

static pthread_mutex_t m;
static int n;

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	n++;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_mutexattr_t k;
	pthread_t t;

	pthread_mutexattr_init(&k);
	pthread_mutexattr_setprotocol(&k, PTHREAD_PRIO_PROTECT);
	pthread_mutex_init(&m, &k);
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	return n != 2;
}

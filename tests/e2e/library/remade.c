/* SPDX-License-Identifier: MIT
 *
 * A mutex is initialized a second time: -DHELD while another thread may hold it, else when nobody does any more.
 */
#define _GNU_SOURCE
#include <pthread.h>

static pthread_mutex_t m = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int n;

static void *uses(void *arg)
{
	pthread_mutex_lock(&m);
	n++;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, uses, NULL);
#ifndef HELD
	pthread_join(a, NULL);
#endif
	pthread_mutex_init(&m, NULL);
	pthread_create(&b, NULL, uses, NULL);
#ifdef HELD
	pthread_join(a, NULL);
#endif
	pthread_join(b, NULL);
	return 0;
}

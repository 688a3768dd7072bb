/* SPDX-License-Identifier: MIT
 *
 * Two locks in two orders: a deadlock is found.
 */
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *one(void *arg) { pthread_mutex_lock(&a); pthread_mutex_lock(&b); n++; pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); return arg; }
static void *other(void *arg) { pthread_mutex_lock(&b); pthread_mutex_lock(&a); n++; pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return arg; }

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

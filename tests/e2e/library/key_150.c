/* SPDX-License-Identifier: MIT
 *
 * The destructor of the 150th key runs as well: abort must be found.
 */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
static pthread_key_t key;
static int x;

static void end(void *value) { abort(); }

static void *one(void *arg)
{
	x++;
	pthread_setspecific(key, &x);
	return arg;
}

static void *other(void *arg)
{
	x++;
	return arg;
}

int main(void)
{
	pthread_t a, b;

	for (int i = 0; i < 150; i++)
		pthread_key_create(&key, end);
	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

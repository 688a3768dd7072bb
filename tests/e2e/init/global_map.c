/* SPDX-License-Identifier: MIT
 *
 * wants: object map
 * wants: op put(key, value) : put(key, value)
 * wants: op get(key) -> ret if ret != -99 else empty : get(key)
 * verdict: 0
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include <limits.h>

enum { NOTHING = -99 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int values[4] = { NOTHING, NOTHING, NOTHING, NOTHING };

void put(int key, int value)
{
	pthread_mutex_lock(&lock);
	values[key] = value;
	pthread_mutex_unlock(&lock);
}

int get(int key)
{
	int value;

	if (key > 3)
		return NOTHING;
	pthread_mutex_lock(&lock);
	value = values[key];
	pthread_mutex_unlock(&lock);
	return value;
}

static volatile long sink;

static void *first(void *unused)
{
	put(1, 7);
	return unused;
}

static void *second(void *unused)
{
	sink = get(1);
	return unused;
}

int main(void)
{
	pthread_t a, b;

	sink = get(1);
	pthread_create(&a, NULL, first, NULL);
	pthread_create(&b, NULL, second, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

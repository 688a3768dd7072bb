/* SPDX-License-Identifier: MIT
 *
 * What a thread has added is seen when it has ended: the destructor of its part adds it to the rest, at any
 * time after its last operation.
 *
 * verdict: 0
 */
#include <pthread.h>
#include <stdlib.h>

#define OP __attribute__((noinline))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int total;

static void flush(void *arg)
{
	int *part = arg;

	pthread_mutex_lock(&lock);
	total += *part;
	pthread_mutex_unlock(&lock);
	free(part);
}

OP void stat_add(int n)
{
	int *part = pthread_getspecific(key);

	if (!part) {
		part = calloc(1, sizeof *part);
		pthread_setspecific(key, part);
	}
	*part += n;
}

OP int stat_total(void)
{
	int t;

	pthread_mutex_lock(&lock);
	t = total;
	pthread_mutex_unlock(&lock);
	return t;
}

static void *add_twice(void *arg)
{
	stat_add(2);
	stat_add(1);
	return arg;
}

static void *add_and_look(void *arg)
{
	stat_add(4);
	stat_total();
	return arg;
}

int main(void)
{
	pthread_t a, b;

	pthread_key_create(&key, flush);
	pthread_create(&a, NULL, add_twice, NULL);
	pthread_create(&b, NULL, add_and_look, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	stat_total();
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A counter that starts with 5 and returns the new value.
 * With FAULTY increment reads before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static unsigned visits = 5;

unsigned visits_increment(void)
{
	IF_FAULTY(unsigned v = visits;)
	pthread_mutex_lock(&m);
	IF_CORRECT(unsigned v = visits;)
	visits = v + 1;
	pthread_mutex_unlock(&m);
	return v + 1;
}

unsigned visits_read(void)
{
	pthread_mutex_lock(&m);
	unsigned v = visits;
	pthread_mutex_unlock(&m);
	return v;
}

static void *one(void *arg)
{
	r[0] = visits_increment();
	r[1] = visits_read();
	return arg;
}

static void *two(void *arg)
{
	r[2] = visits_increment();
	r[3] = visits_increment();
	return arg;
}

int main(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}

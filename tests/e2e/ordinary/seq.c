/* SPDX-License-Identifier: MIT
 *
 * Tickets, by one static function.
 * With FAULTY it unlocks between reading and writing.
 *
 * faulty: found
 */
#include "ordinary.h"

static long next_ticket = 100;
static pthread_mutex_t tm_lock = PTHREAD_MUTEX_INITIALIZER;

static long take_ticket(void)
{
	pthread_mutex_lock(&tm_lock);
	long t = next_ticket;
	IF_FAULTY(pthread_mutex_unlock(&tm_lock); pthread_mutex_lock(&tm_lock);)
	next_ticket = t + 1;
	pthread_mutex_unlock(&tm_lock);
	return t;
}

static void *one(void *arg)
{
	r[0] = take_ticket();
	r[1] = take_ticket();
	return arg;
}

static void *two(void *arg)
{
	r[2] = take_ticket();
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

/* SPDX-License-Identifier: MIT
 *
 * Functions that are registered; add returns the place, remove 1 or 0.
 * With FAULTY add reads the number before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

#define MAXSUB 4
typedef void (*callback)(int);
static callback subs[MAXSUB];
static int nsubs;
static pthread_mutex_t sl = PTHREAD_MUTEX_INITIALIZER;

static void cb1(int x)
{
	(void)x;
}

static void cb2(int x)
{
	(void)x;
}

int subs_add(callback f)
{
	IF_FAULTY(int n = nsubs;)
	pthread_mutex_lock(&sl);
	IF_CORRECT(int n = nsubs;)
	if (n == MAXSUB) {
		pthread_mutex_unlock(&sl);
		return -1;
	}
	subs[n] = f;
	nsubs = n + 1;
	pthread_mutex_unlock(&sl);
	return n;
}

int subs_remove(callback f)
{
	pthread_mutex_lock(&sl);
	for (int i = 0; i < nsubs; i++)
		if (subs[i] == f) {
			subs[i] = subs[--nsubs];
			pthread_mutex_unlock(&sl);
			return 1;
		}
	pthread_mutex_unlock(&sl);
	return 0;
}

int subs_count(void)
{
	pthread_mutex_lock(&sl);
	int n = nsubs;
	pthread_mutex_unlock(&sl);
	return n;
}

static void *one(void *arg)
{
	r[0] = subs_add(cb1);
	r[1] = subs_count();
	return arg;
}

static void *two(void *arg)
{
	r[2] = subs_add(cb2);
	r[3] = subs_remove(cb1);
	r[4] = subs_count();
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

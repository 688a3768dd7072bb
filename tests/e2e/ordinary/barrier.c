/* SPDX-License-Identifier: MIT
 *
 * A barrier: all enter before anybody leaves. It has no sequential behaviour.
 * With FAULTY the phase is read without the lock.
 *
 * faulty: limit
 */
#include "ordinary.h"

static pthread_mutex_t bm = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t bc = PTHREAD_COND_INITIALIZER;
static int waiting, phase;

int barrier_enter(int n)
{
	pthread_mutex_lock(&bm);
	int mine = phase, place = waiting++;
	if (waiting == n) {
		waiting = 0;
		phase++;
		pthread_cond_broadcast(&bc);
	} else
		while (phase == mine)
			pthread_cond_wait(&bc, &bm);
	pthread_mutex_unlock(&bm);
	return place;
}

int barrier_get_phase(void)
{
	IF_CORRECT(pthread_mutex_lock(&bm);) int p = phase;
	IF_CORRECT(pthread_mutex_unlock(&bm);) return p;
}

static void *one(void *arg)
{
	r[0] = barrier_enter(2);
	r[1] = barrier_get_phase();
	return arg;
}

static void *two(void *arg)
{
	r[2] = barrier_enter(2);
	r[3] = barrier_get_phase();
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

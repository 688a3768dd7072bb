/* SPDX-License-Identifier: MIT
 *
 * A queue that is filled in loops.
 * With FAULTY add reads the end before it locks.
 *
 * faulty: found
 */
#include "ordinary.h"

static pthread_mutex_t lm = PTHREAD_MUTEX_INITIALIZER;
static int q[32], qh, qt;

void wq_add(int v)
{
	IF_FAULTY(int t = qt;) pthread_mutex_lock(&lm);
	IF_CORRECT(int t = qt;) q[t] = v;
	qt = t + 1;
	pthread_mutex_unlock(&lm);
}

int wq_take(void)
{
	int v = -1;
	pthread_mutex_lock(&lm);
	if (qh < qt)
		v = q[qh++];
	pthread_mutex_unlock(&lm);
	return v;
}

static void *one(void *arg)
{
	for (int i = 0; i < 4; i++)
		wq_add(i);
	return arg;
}

static void *two(void *arg)
{
	for (int i = 10; i < 13; i++) {
		wq_add(i);
		r[i] = wq_take();
	}
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

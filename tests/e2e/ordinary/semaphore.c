/* SPDX-License-Identifier: MIT
 *
 * A semaphore with a value, by a condition.
 * With FAULTY acquire waits once, whatever it finds then.
 *
 * faulty: limit
 */
#include "ordinary.h"

static struct {
	pthread_mutex_t m;
	pthread_cond_t c;
	int n;
} sem = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 1 };

void my_sem_acquire(void)
{
	pthread_mutex_lock(&sem.m);
	IF_CORRECT(while) IF_FAULTY(if)(sem.n == 0) pthread_cond_wait(&sem.c, &sem.m);
	sem.n--;
	pthread_mutex_unlock(&sem.m);
}

void my_sem_release(void)
{
	pthread_mutex_lock(&sem.m);
	sem.n++;
	pthread_cond_signal(&sem.c);
	pthread_mutex_unlock(&sem.m);
}

int my_sem_value(void)
{
	pthread_mutex_lock(&sem.m);
	int v = sem.n;
	pthread_mutex_unlock(&sem.m);
	return v;
}

static void *one(void *arg)
{
	my_sem_acquire();
	my_sem_release();
	r[0] = my_sem_value();
	return arg;
}

static void *two(void *arg)
{
	my_sem_acquire();
	r[1] = my_sem_value();
	my_sem_release();
	return arg;
}

static void *three(void *arg)
{
	my_sem_acquire();
	my_sem_release();
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, one, NULL);
	pthread_create(&t[1], NULL, two, NULL);
	pthread_create(&t[2], NULL, three, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	pthread_join(t[2], NULL);
	return 0;
}

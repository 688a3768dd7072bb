/* SPDX-License-Identifier: MIT
 *
 * Handed over by each means of the thread library: release and acquire, a semaphore, a barrier, a mutex with a condition, once, join.
 *
 * hooks: 0
 * plain: 0
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

static atomic_int flag;
static sem_t semaphore;
static pthread_barrier_t barrier;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int ready, by_flag, by_semaphore, by_barrier, by_condition, by_once, by_join;

static void make(void)
{
	by_once = 1;
}

static void *give(void *arg)
{
	(void)arg;
	by_flag = 1;
	atomic_store_explicit(&flag, 1, memory_order_release);
	by_semaphore = 1;
	sem_post(&semaphore);
	by_barrier = 1;
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&m);
	by_condition = ready = 1;
	pthread_cond_signal(&c);
	pthread_mutex_unlock(&m);
	pthread_once(&once, make);
	by_join = by_once;
	return NULL;
}

int main(void)
{
	pthread_t t;
	int sum = 0;

	sem_init(&semaphore, 0, 0);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&t, NULL, give, NULL);
	if (atomic_load_explicit(&flag, memory_order_acquire))
		sum += by_flag;
	sem_wait(&semaphore);
	sum += by_semaphore;
	pthread_barrier_wait(&barrier);
	sum += by_barrier;
	pthread_mutex_lock(&m);
	while (!ready)
		pthread_cond_wait(&c, &m);
	sum += by_condition;
	pthread_mutex_unlock(&m);
	pthread_once(&once, make);
	sum += by_once;
	pthread_join(t, NULL);
	return sum + by_join > 99;
}

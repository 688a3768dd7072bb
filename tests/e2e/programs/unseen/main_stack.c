/* SPDX-License-Identifier: MIT
 *
 * Objects on the stack of main that it destroys while the thread may still use them; with ORDERED, after all of its uses. With
 * LEAVES main returns instead.
 */
#include <pthread.h>
#include <semaphore.h>

struct all {
	sem_t posted;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int done;
};

static void *thread(void *arg)
{
	struct all *all = arg;

	pthread_mutex_lock(&all->lock);
	all->done = 1;
	pthread_cond_signal(&all->changed);
	pthread_mutex_unlock(&all->lock);
	sem_post(&all->posted);
	return NULL;
}

int main(void)
{
	struct all all = { .lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER };
	pthread_t t;

	sem_init(&all.posted, 0, 0);
	pthread_create(&t, NULL, thread, &all);
	pthread_detach(t);
	pthread_mutex_lock(&all.lock);
	while (!all.done)
		pthread_cond_wait(&all.changed, &all.lock);
	pthread_mutex_unlock(&all.lock);
#ifdef ORDERED
	sem_wait(&all.posted);
#endif
#ifdef LEAVES
	return 0;
#endif
	sem_destroy(&all.posted);
	pthread_cond_destroy(&all.changed);
	pthread_mutex_destroy(&all.lock);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Locks of every kind that a constructor has used, with what libc leaves in them, are free when
 * main begins. Then a thread ends the process from inside libc if it is the second: err() does
 * that.
 */
#include <assert.h>
#include <err.h>
#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_spinlock_t spin;
static sem_t sem;
static int initialised, count;

static void initialise(void)
{
	initialised++;
}

static void use(void)
{
	pthread_mutex_lock(&mutex);
	pthread_cond_signal(&cond);
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_rdlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	pthread_spin_lock(&spin);
	pthread_spin_unlock(&spin);
	sem_wait(&sem);
	sem_post(&sem);
	pthread_once(&once, initialise);
}

__attribute__((constructor)) static void early(void)
{
	sem_init(&sem, 0, 1);
	pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
	use();
}

static void *worker(void *how)
{
	int mine;

	use();
	pthread_rwlock_wrlock(&rwlock);
	mine = ++count;
	pthread_rwlock_unlock(&rwlock);
	if (mine == 2 && how)
		errx(3, "the second"); /* @errx */
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	(void)argv;
	use();
	pthread_create(&a, NULL, worker, NULL);
	pthread_create(&b, NULL, worker, argc > 1 ? &count : NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(initialised == 1 && count == 2);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * misuse WHAT: a use of an object that POSIX leaves undefined and libc does not notice. The marks say
 * where it is, and where what it is in conflict with.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, free_mutex = PTHREAD_MUTEX_INITIALIZER, robust;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_barrier_t b, none;
static sem_t s, held;
static int x;

static void *nothing(void *arg)
{
	return arg;
}

/* The first thread takes what the second misuses. */
static void *first(void *what)
{
	if (!strcmp(what, "unlock") || !strcmp(what, "destroy"))
		pthread_mutex_lock(&m); /* @unlock @destroy */
	else if (!strcmp(what, "rwunlock") || !strcmp(what, "rwdestroy"))
		pthread_rwlock_rdlock(&l); /* @rwunlock @rwdestroy */
	else if (!strcmp(what, "rwunlockw"))
		pthread_rwlock_wrlock(&l); /* @rwunlockw */
	else if (!strcmp(what, "spin") || !strcmp(what, "spindestroy"))
		pthread_spin_lock(&spin); /* @spin @spindestroy */
	else if (!strcmp(what, "cond") || !strcmp(what, "condwait"))
		pthread_mutex_lock(&m); /* @condwait */
	if (!strcmp(what, "cond"))
		sem_post(&held), pthread_cond_wait(&c, &m); /* @cond */
	sem_post(&held);
	if (!strcmp(what, "barrier") || !strcmp(what, "barrierinit"))
		pthread_barrier_wait(&b); /* @barrier @barrierinit */
	else if (!strcmp(what, "sem"))
		sem_wait(&s); /* @sem */
	else
		x++;
	return NULL;
}

/* libc would keep it in its list of what this thread holds. */
static void destroy_mine(void)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &a);
	pthread_mutex_lock(&robust); /* @robust */
	pthread_mutex_destroy(&robust); /* @at-robust */
}

static void join(const char *what)
{
	pthread_t t;

	if (!strcmp(what, "self"))
		pthread_join(pthread_self(), NULL); /* @at-joinself */
	pthread_create(&t, NULL, nothing, NULL);
	pthread_join(t, NULL); /* @jointwice @joindetach */
	if (!strcmp(what, "twice"))
		pthread_join(t, NULL); /* @at-jointwice */
	else
		pthread_detach(t); /* @at-joindetach */
}

static void misuse(const char *what)
{
	if (!strcmp(what, "unlock"))
		pthread_mutex_unlock(&m); /* @at-unlock */
	else if (!strcmp(what, "destroy"))
		pthread_mutex_destroy(&m); /* @at-destroy */
	else if (!strcmp(what, "rwunlock") || !strcmp(what, "rwunlockw"))
		pthread_rwlock_unlock(&l); /* @at-rwunlock @at-rwunlockw */
	else if (!strcmp(what, "rwdestroy"))
		pthread_rwlock_destroy(&l); /* @at-rwdestroy */
	else if (!strcmp(what, "spin"))
		pthread_spin_unlock(&spin); /* @at-spin */
	else if (!strcmp(what, "spindestroy"))
		pthread_spin_destroy(&spin); /* @at-spindestroy */
	else if (!strcmp(what, "cond"))
		pthread_mutex_lock(&m), pthread_cond_destroy(&c); /* @at-cond */
	else if (!strcmp(what, "condwait"))
		pthread_cond_wait(&c, &m); /* @at-condwait */
	else if (!strcmp(what, "condfree"))
		pthread_cond_wait(&c, &free_mutex); /* @at-condfree */
	else if (!strcmp(what, "barrier"))
		pthread_barrier_destroy(&b); /* @at-barrier */
	else if (!strcmp(what, "barrierinit"))
		pthread_barrier_init(&b, NULL, 2); /* @at-barrierinit */
	else if (!strcmp(what, "never"))
		pthread_barrier_wait(&none); /* @at-never */
	else if (!strcmp(what, "sem"))
		sem_destroy(&s); /* @at-sem */
	else if (!strcmp(what, "robust"))
		destroy_mine();
	else if (!strncmp(what, "join", 4))
		join(what + 4);
}

static void destroyed(const char *what)
{
	if (!strcmp(what, "dead-mutex"))
		pthread_mutex_destroy(&m); /* @dead-mutex */
	else if (!strcmp(what, "dead-rwlock"))
		pthread_rwlock_destroy(&l); /* @dead-rwlock */
	else if (!strcmp(what, "dead-held"))
		pthread_rwlock_wrlock(&l), pthread_rwlock_destroy(&l); /* @dead-held */
	else if (!strcmp(what, "dead-cond"))
		pthread_cond_destroy(&c); /* @dead-cond */
	else if (!strcmp(what, "dead-spin"))
		pthread_spin_destroy(&spin); /* @dead-spin */
	else if (!strcmp(what, "dead-barrier"))
		pthread_barrier_destroy(&b); /* @dead-barrier */
	else if (!strcmp(what, "dead-sem") || !strcmp(what, "dead-try"))
		sem_destroy(&s); /* @dead-sem @dead-try */
	sem_post(&held);
}

static void use(const char *what)
{
	if (!strcmp(what, "dead-mutex"))
		pthread_mutex_lock(&m); /* @at-dead-mutex */
	else if (!strcmp(what, "dead-rwlock"))
		pthread_rwlock_wrlock(&l); /* @at-dead-rwlock */
	else if (!strcmp(what, "dead-held"))
		pthread_rwlock_rdlock(&l); /* @at-dead-held */
	else if (!strcmp(what, "dead-cond"))
		pthread_cond_signal(&c); /* @at-dead-cond */
	else if (!strcmp(what, "dead-spin"))
		pthread_spin_lock(&spin); /* @at-dead-spin */
	else if (!strcmp(what, "dead-barrier"))
		pthread_barrier_wait(&b); /* @at-dead-barrier */
	else if (!strcmp(what, "dead-sem"))
		sem_wait(&s); /* @at-dead-sem */
	else if (!strcmp(what, "dead-try"))
		sem_trywait(&s); /* @at-dead-try */
}

static void *second(void *what)
{
	if (!strncmp(what, "dead", 4))
		destroyed(what);
	else
		first(what);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc < 2)
		return 2;
	pthread_spin_init(&spin, 0);
	pthread_barrier_init(&b, NULL, 2);
	sem_init(&s, 0, 0);
	sem_init(&held, 0, 0);
	pthread_create(&t, NULL, second, argv[1]);
	sem_wait(&held);
	x++;
	if (!strncmp(argv[1], "dead", 4))
		use(argv[1]);
	else
		misuse(argv[1]);
	return 0;
}

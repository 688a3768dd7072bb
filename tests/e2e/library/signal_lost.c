/* SPDX-License-Identifier: MIT
 *
 * When a handler runs: between a look and the call that was to wait (the signal is lost), while its thread waits for
 * something else (which must not be lost), and behind the last step of its thread.
 */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

static atomic_int handled, word;
static pthread_t main_thread;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static int told;

static void handler(int sig)
{
	(void)sig;
	handled = 1;
}

static void *kills(void *arg)
{
	pthread_kill(main_thread, SIGUSR1);
	return arg;
}

static void *lets_go(void *arg)
{
	pthread_mutex_lock(&mutex);
	told = 1 + handled; /* so that the handler is seen to run here */
	pthread_cond_signal(&cond);
	pthread_mutex_unlock(&mutex);
	pthread_barrier_wait(&barrier);
	word = 1;
	syscall(SYS_futex, &word, FUTEX_WAKE, 1, NULL, NULL, 0);
	return arg;
}

/* The thread may get the signal behind its last step. */
static void *short_one(void *arg)
{
	word = 1;
	return arg;
}

static void waits(void)
{
#if defined(PAUSE)
	while (!handled)
		pause();
#elif defined(SEMAPHORE)
	while (!handled)
		sem_wait(&sem);
#elif defined(SUSPEND)
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	while (!handled)
		sigsuspend(&old);
#elif defined(CONDITION)
	pthread_mutex_lock(&mutex);
	while (!told)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	pthread_barrier_wait(&barrier);
	syscall(SYS_futex, &word, FUTEX_WAIT, 0, NULL, NULL, 0);
#endif
}

int main(void)
{
	struct sigaction a = { .sa_handler = handler };
	pthread_t killer, other;

	main_thread = pthread_self();
#ifdef CONDITION
	a.sa_flags = SA_RESTART;
#endif
	sigaction(SIGUSR1, &a, NULL);
	sem_init(&sem, 0, 0);
	pthread_barrier_init(&barrier, NULL, 2);
#ifdef LAST
	pthread_create(&other, NULL, short_one, NULL);
	if (word)
		pthread_kill(other, SIGUSR1);
	pthread_join(other, NULL);
	assert(!handled);
	return 0;
#endif
#ifdef CONDITION
	pthread_create(&other, NULL, lets_go, NULL);
#endif
	pthread_create(&killer, NULL, kills, NULL);
	waits();
	pthread_join(killer, NULL);
#ifdef CONDITION
	pthread_join(other, NULL);
#endif
	return 0;
}

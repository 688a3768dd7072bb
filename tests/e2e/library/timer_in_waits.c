/* SPDX-License-Identifier: MIT
 *
 * An alarm comes after one second, in a wait that ends by time after three: its handler runs meanwhile, and the
 * call says what it says without the runtime. Alone, and beside another thread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, held;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static sem_t s, done;
static int word;
static volatile int ran;

static void handler(int sig) { (void)sig; ran++; }

static struct timespec after(int seconds)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec += seconds;
	return t;
}

static int error(int r) { return r == -1 ? errno : r; }

static int kind(int n)
{
	struct timespec until = after(3), three = { 3, 0 };
	struct timeval three_too = { 3, 0 };
	sigset_t set;
	int r;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	switch (n) {
	case 0: return error(sem_timedwait(&s, &until)) == EINTR;
	case 1: return error(sigtimedwait(&set, NULL, &three)) == EINTR;
	case 2:
		pthread_mutex_lock(&m);
		r = pthread_cond_timedwait(&c, &m, &until);
		pthread_mutex_unlock(&m);
		return r == ETIMEDOUT;
	case 3:
		pthread_rwlock_wrlock(&l);
		pthread_rwlock_unlock(&l);
		return 1;
	case 4: return error((int)syscall(SYS_futex, &word, FUTEX_WAIT, 0, &three, NULL, 0)) == EINTR;
	case 5: return error(nanosleep(&three, NULL)) == EINTR;
	case 6: return error(poll(NULL, 0, 3000)) == EINTR;
	case 7: return error(select(0, NULL, NULL, NULL, &three_too)) == EINTR;
	case 8: return thrd_sleep(&three, NULL) == -1;
	case 9: return error(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL)) == EINTR;
	case 10: return pthread_mutex_timedlock(&held, &until) == ETIMEDOUT;
	case 11: /* a thread that looks at the clock comes to it, too */
		ualarm(1000, 0);
		until = after(0);
		do
			clock_gettime(CLOCK_REALTIME, &three);
		while (three.tv_sec == until.tv_sec && three.tv_nsec < until.tv_nsec + 3000000);
		return 1;
	case 12:
		sigaddset(&set, SIGALRM);
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		r = error(sigtimedwait(&set, NULL, &three));
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
		ran += r == SIGALRM;
		return r == SIGALRM;
	}
	return -1;
}

static void all(const char *how)
{
	for (int n = 0, r;; n++) {
		ran = 0;
		if (n != 3)
			alarm(1);
		r = kind(n);
		if (r < 0)
			break;
		if (r != 1 || ran != (n != 3)) {
			fprintf(stderr, "%s: kind %d: %d, handler ran %d times\n", how, n, r, ran);
			abort();
		}
	}
}

static void *other(void *arg)
{
	sigset_t set;

	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	sem_wait(&done);
	return arg;
}

int main(void)
{
	struct sigaction a = { .sa_handler = handler };
	pthread_mutexattr_t attr;
	sigset_t set;
	pthread_t t;

	sigaction(SIGALRM, &a, NULL);
	pthread_mutexattr_init(&attr);
	pthread_mutex_init(&held, &attr);
	pthread_mutex_lock(&held);
	sem_init(&s, 0, 0);
	sem_init(&done, 0, 0);
	all("alone");
	sigfillset(&set);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&t, NULL, other, NULL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	all("beside another");
	sem_post(&done);
	pthread_join(t, NULL);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * A handler runs while its thread makes a system call itself, which is no cancellation point: the handler finds the thread's
 * own state of cancellation, and when it jumps out of the call, what comes then are cancellation points.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends[2];
static sigjmp_buf before;

static void handler(int sig)
{
	int state;

	(void)sig;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
	assert(state == PTHREAD_CANCEL_ENABLE);
	pthread_setcancelstate(state, NULL);
	siglongjmp(before, 1);
}

static void *reads(void *unused)
{
	sigset_t set;
	char c;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (!sigsetjmp(before, 1)) {
		pthread_sigmask(SIG_UNBLOCK, &set, NULL);
		syscall(SYS_read, ends[0], &c, 1);
	}
#ifdef WRONG
	syscall(SYS_read, ends[0], &c, 1);
#else
	read(ends[0], &c, 1);
#endif
	return unused;
}

int main(void)
{
	struct sigaction a = { .sa_handler = handler };
	pthread_t t;
	sigset_t set;
	void *result;

	assert(!pipe(ends));
	sigaction(SIGUSR1, &a, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	pthread_create(&t, NULL, reads, NULL);
	pthread_kill(t, SIGUSR1);
	pthread_cancel(t);
	pthread_join(t, &result);
	assert(result == PTHREAD_CANCELED);
	return 0;
}

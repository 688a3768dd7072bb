/* SPDX-License-Identifier: MIT
 *
 * Handlers on an alternate stack, which make steps there: one returns, one jumps out, one ends its thread. With
 * WRONG, what a handler does is not taken into account.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 16384

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int shared, cleaned;
static volatile int jumps, ends, ran;
static char *stack;
static sigjmp_buf back;

static void grows(void)
{
	pthread_mutex_lock(&lock);
	shared++;
	pthread_mutex_unlock(&lock);
}

static void cleans(void *unused)
{
	(void)unused;
	cleaned++;
}

static void handler(int sig)
{
	stack_t now, other = { .ss_sp = stack, .ss_size = SIZE };
	char here;

	(void)sig;
	assert((uintptr_t)&here - (uintptr_t)stack < SIZE);
	assert(!sigaltstack(NULL, &now) && now.ss_flags == SS_ONSTACK && now.ss_sp == stack);
	assert(sigaltstack(&other, NULL) == -1);
	grows();
	ran++;
	if (ends) {
		pthread_cleanup_push(cleans, NULL);
		pthread_exit(NULL);
		pthread_cleanup_pop(0);
	}
	if (jumps)
		siglongjmp(back, 1);
}

static void *takes(void *unused)
{
	stack_t s = { .ss_size = SIZE };

	s.ss_sp = stack = malloc(SIZE);
	assert(!sigaltstack(&s, NULL));
	raise(SIGUSR1);
	jumps = 1;
	if (!sigsetjmp(back, 1))
		raise(SIGUSR1);
	jumps = 0;
	assert(!sigaltstack(NULL, &s) && s.ss_flags == 0 && ran == 2);
	grows();
	ends = 1;
	pthread_cleanup_push(cleans, NULL);
	raise(SIGUSR1);
	pthread_cleanup_pop(0);
	return unused;
}

int main(void)
{
	struct sigaction a;
	pthread_t t;

	memset(&a, 0, sizeof a);
	a.sa_handler = handler;
	a.sa_flags = SA_ONSTACK;
	sigaction(SIGUSR1, &a, NULL);
	pthread_create(&t, NULL, takes, NULL);
#ifdef WRONG
	pthread_mutex_lock(&lock);
	assert(shared != 1);
	pthread_mutex_unlock(&lock);
#endif
	grows();
	pthread_join(t, NULL);
	assert(shared == 5 && cleaned == 2);
	return 0;
}

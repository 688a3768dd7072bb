/* SPDX-License-Identifier: MIT
 *
 * For programs that print what each call returns: with libc alone and under the runtime they must
 * print the same. Each does its calls twice: while it has one thread, and while another one lives.
 */
#ifndef SAME_H
#define SAME_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdbool.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

/* A call that returns an error number; one that returns -1 and sets errno. */
#define R(call)                                                                                    \
	do {                                                                                       \
		int r_ = (call);                                                                   \
		printf("%s: %s\n", #call, r_ ? strerrorname_np(r_) : "0");                        \
	} while (0)
#define E(call)                                                                                    \
	do {                                                                                       \
		long r_;                                                                           \
		errno = 0;                                                                         \
		r_ = (long)(call);                                                                 \
		printf("%s: %ld %s\n", #call, r_, r_ == -1 ? strerrorname_np(errno) : "");        \
	} while (0)
#define V(expression) printf("%s: %ld\n", #expression, (long)(expression))

static const struct timespec too_small = { 1, -1 }, too_large = { 1, 1000000000 }, past = { 1, 0 };

void calls(void); /* of the program */

/* In another thread, which ends before this returns. */
static inline void elsewhere(void *(*f)(void *), void *arg)
{
	pthread_t t;

	if (pthread_create(&t, NULL, f, arg) || pthread_join(t, NULL))
		abort();
}

/* A name for what the whole system sees: other runs of the test may go on at the same time. */
static inline const char *own_name(const char *name)
{
	static char text[2][64];
	static unsigned i;

	snprintf(text[++i % 2], sizeof *text, "/linchpin-%d-%s", (int)getpid(), name);
	return text[i % 2];
}

static sem_t same_end;

static void *same_other(void *unused)
{
	sem_wait(&same_end);
	return unused;
}

int main(void)
{
	pthread_t other;
	sigset_t all, old;

	calls();
	sem_init(&same_end, 0, 0);
	/* It takes no signal to the process: whether it or a thread that waits for the signal gets it is not said. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (pthread_create(&other, NULL, same_other, NULL))
		abort();
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	calls();
	sem_post(&same_end);
	pthread_join(other, NULL);
	return 0;
}

#endif

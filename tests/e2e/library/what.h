/* SPDX-License-Identifier: MIT
 *
 * For programs of which WHAT is one of the functions; with -DWRONG that has a fault.
 */
#ifndef WHAT_H
#define WHAT_H

#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#ifdef WRONG
enum { wrong = 1 };
#else
enum { wrong };
#endif

/* Two threads at the same time, with 0 and 1. */
static inline void both(void *(*f)(void *), void *(*g)(void *))
{
	pthread_t a, b;

	pthread_create(&a, NULL, f, (void *)0);
	pthread_create(&b, NULL, g, (void *)1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

static void WHAT(void);

int main(void)
{
	WHAT();
	return 0;
}

#endif

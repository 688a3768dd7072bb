/* SPDX-License-Identifier: MIT
 *
 * Blocks that are left at the end, by name: those of lines with @lost leak, no others do.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct node {
	struct node *next;
	int value;
};

static struct node *volatile global;
static uintptr_t word;
static char *inside;
static pthread_key_t key;
static int steps;
static _Thread_local void *own;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *worker(void *argument)
{
	const char *what = argument;
	struct node *volatile n;

	if (!strcmp(what, "both")) {
		if (!global) {
			n = malloc(sizeof *n); /* @lost both some */
			global = n;
		}
		n = malloc(sizeof *n); /* @lost both all */
		n = NULL;
		return NULL;
	}
	if (!strcmp(what, "raced")) { /* the second one may come too late */
		if (!global) {
			n = malloc(sizeof *n); /* @lost raced */
			global = n;
		}
		return NULL;
	}
	pthread_mutex_lock(&lock);
	steps++;
	pthread_mutex_unlock(&lock);
	if (!strcmp(what, "overwritten")) {
		n = malloc(sizeof *n); /* @lost overwritten */
		pthread_mutex_lock(&lock);
		global = n;
		pthread_mutex_unlock(&lock);
	} else if (!strcmp(what, "chain")) {
		n = calloc(1, sizeof *n); /* @lost chain */
		n->next = calloc(1, 100);  /* @lost chain */
		pthread_mutex_lock(&lock);
		n->value = 1;
		pthread_mutex_unlock(&lock);
	} else if (!strcmp(what, "pushed")) {
		n = malloc(sizeof *n);
		pthread_mutex_lock(&lock);
		n->next = global;
		global = n;
		pthread_mutex_unlock(&lock);
	} else if (!strcmp(what, "result")) {
		return malloc(10);
	}
	return NULL;
}

/* Waits for ever, with the address of its block in a vector register only. */
static void *spinner(void *argument)
{
	argument = malloc(10);
	__asm__ volatile("movq %0, %%xmm7\n\txor %0, %0\n\t"
			 "1: cmpq $0, %1\n\tje 1b\n\tmovq %%xmm7, %0"
			 : "+r"(argument)
			 : "m"(word)
			 : "xmm7", "cc", "memory");
	return argument;
}

static void both(const char *what)
{
	pthread_t a, b;

	pthread_create(&a, NULL, worker, (void *)what);
	pthread_create(&b, NULL, worker, (void *)what);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argv[argc > 1];
	struct node *volatile local = NULL;

	if (!strcmp(what, "main"))
		local = malloc(sizeof *local);
	if (!strcmp(what, "tagged"))
		word = (uintptr_t)malloc(32) | (uintptr_t)7 << 48 | 1;
	if (!strcmp(what, "inside"))
		inside = (char *)malloc(32) + 32;
	if (!strcmp(what, "own"))
		own = malloc(10);
	if (!strcmp(what, "specific") && !pthread_key_create(&key, NULL))
		pthread_setspecific(key, malloc(10));
	if (!strcmp(what, "maps"))
		mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!strcmp(what, "before")) {
		global = malloc(sizeof *global); /* @lost before */
		global = NULL;
	}
	if (!strcmp(what, "libc")) {
		printf("a buffer\n");
		setenv("ANOTHER", "variable", 1);
	}
	if (!strcmp(what, "pending")) {
		sigset_t set;

		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		pthread_sigmask(SIG_BLOCK, &set, NULL);
		sigqueue(getpid(), SIGUSR1, (union sigval){ .sival_ptr = malloc(10) });
	}
	both(what);
	if (!strcmp(what, "vector")) {
		pthread_t t;

		pthread_create(&t, NULL, spinner, NULL);
		while (!steps)
			;
		exit(0);
	}
	if (!strcmp(what, "exit")) {
		local = malloc(10);
		exit(0);
	}
	if (!strcmp(what, "freed")) {
		local = malloc(10);
		free(local);
	}
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * ends HOW: the ways in which a process ends, and what runs then. Prints in which order.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_key_t key;
static pthread_t of_main;

static void first(void)
{
	puts("first");
}

static void again(void)
{
	puts("again");
}

static void last(void)
{
	puts("last");
	atexit(again);
}

static void quick(void)
{
	puts("quick");
	fflush(stdout);
}

static void status(int code, void *arg)
{
	printf("status %d %s\n", code, (char *)arg);
}

__attribute__((destructor)) static void destructor(void)
{
	puts("destructor");
}

__attribute__((constructor)) static void constructor(void)
{
	atexit(first);
}

static void of_thread(void *value)
{
	printf("key %s\n", (char *)value);
}

static void *thread(void *how)
{
	pthread_setspecific(key, "thread");
	if (!strcmp(how, "exit-thread"))
		exit(3);
	if (!strcmp(how, "pthread_exit"))
		pthread_join(of_main, NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t;

	if (argc < 2)
		return 2;
	of_main = pthread_self();
	pthread_key_create(&key, of_thread);
	pthread_setspecific(key, "main");
	atexit(last);
	on_exit(status, "arg");
	at_quick_exit(quick);
	pthread_create(&t, NULL, thread, argv[1]);
	if (!strcmp(argv[1], "pthread_exit"))
		pthread_exit(NULL);
	pthread_join(t, NULL);
	if (!strcmp(argv[1], "exit"))
		exit(4);
	if (!strcmp(argv[1], "quick_exit"))
		quick_exit(5);
	if (!strcmp(argv[1], "_exit"))
		_exit(6);
	return 0;
}

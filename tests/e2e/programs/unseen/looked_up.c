/* SPDX-License-Identifier: MIT */
/* Right: whatever way the functions are found, they wait for each other and free each other's blocks: ok, in two classes. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static int (*waits)(pthread_cond_t *, pthread_mutex_t *), (*wakes)(pthread_cond_t *);
static void *(*get)(size_t);
static void (*give)(void *);

static void *other(void *arg)
{
	char *p = get(16);

	pthread_mutex_lock(&m);
	while (!ready)
		waits(&c, &m);
	pthread_mutex_unlock(&m);
	free(p);
	return arg;
}

int main(int argc, char **argv)
{
	const int way = argc > 1 ? atoi(argv[1]) : 1;
	void *handle = way == 3 ? dlopen("libc.so.6", RTLD_LAZY) : way == 2 ? RTLD_NEXT : RTLD_DEFAULT;
	pthread_t t;

	if (way == 3) {
		*(void **)&waits = dlsym(handle, "pthread_cond_wait");
		*(void **)&wakes = dlsym(handle, "pthread_cond_signal");
		*(void **)&get = dlsym(handle, "malloc");
		*(void **)&give = dlsym(handle, "free");
	} else {
		*(void **)&waits = dlvsym(handle, "pthread_cond_wait", "GLIBC_2.3.2");
		*(void **)&wakes = dlvsym(handle, "pthread_cond_signal", "GLIBC_2.3.2");
		*(void **)&get = dlvsym(handle, "malloc", "GLIBC_2.2.5");
		*(void **)&give = dlvsym(handle, "free", "GLIBC_2.2.5");
	}
	if (!waits || !wakes || !get || !give)
		abort();
	pthread_create(&t, NULL, other, NULL);
	pthread_mutex_lock(&m);
	ready = 1;
	wakes(&c);
	pthread_mutex_unlock(&m);
	pthread_join(t, NULL);
	give(malloc(5));
	return 0;
}

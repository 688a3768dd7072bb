/* Right: as tls_by_pointer.c, with a variable of a library that main opens: abort must be found, and ok. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

static int *volatile there;
static int *(*where)(void);
static void (*set)(int);

static void *owner(void *arg)
{
	there = where();
	set(1);
	set(2);
	return arg;
}

static void *other(void *arg)
{
	int *p = there;

	if (p && *p == 1)
		abort();
	return arg;
}

int main(void)
{
	void *library = dlopen("./libtls.so", RTLD_NOW);
	pthread_t a, b;

	where = (int *(*)(void))dlsym(library, "where");
	set = (void (*)(int))dlsym(library, "set");
	pthread_create(&a, NULL, owner, NULL);
	pthread_create(&b, NULL, other, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

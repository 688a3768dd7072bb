/* SPDX-License-Identifier: MIT
 *
 * each LIBRARY LIBRARY: two threads, each opens a library, adds to a counter with it, and closes
 * it. Which comes first, and so is where, depends on the schedule. Status 1 if an addition was
 * lost. With -DAGAIN the library has been open before: it comes to the same place once more.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

static char **libraries;
static int counter;

static void *add(void *number)
{
	void *handle = dlopen(libraries[(long)number], RTLD_NOW | RTLD_GLOBAL);
	void (*adder)(int *);

#ifdef AGAIN
	dlclose(handle);
	handle = dlopen(libraries[(long)number], RTLD_NOW | RTLD_GLOBAL);
#endif
	if (!handle)
		abort();
	adder = (void (*)(int *))dlsym(handle, "adder");
	adder(&counter);
	dlclose(handle);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	(void)argc;
	libraries = argv;
	for (long i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, (void *)(i + 1));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return counter != 2;
}

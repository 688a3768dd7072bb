/* SPDX-License-Identifier: MIT
 *
 * client LIBRARY: one push, two pops. With -DLINKED the library is linked instead.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void (*push)(int);
static bool (*pop)(int *);
static int (*pushed)(void), (*loads)(void);

static void insist(bool what)
{
	if (!what)
		abort();
}

static void *pusher(void *unused)
{
	push(1);
	insist(pushed() == 101);
	return unused;
}

static void *popper(void *unused)
{
	int value;

	pop(&value);
	insist(pushed() == 100);
	return unused;
}

#ifdef LINKED
void stack_push(int value);
bool stack_pop(int *value);
int stack_pushed(void), stack_loads(void);

static void find(const char *library)
{
	(void)library;
	push = stack_push;
	pop = stack_pop;
	pushed = stack_pushed;
	loads = stack_loads;
}
#else
static void find(const char *library)
{
	void *handle = dlopen(library, RTLD_NOW);

	if (!handle) {
		puts(dlerror());
		exit(3);
	}
	push = (void (*)(int))dlsym(handle, "stack_push");
	pop = (bool (*)(int *))dlsym(handle, "stack_pop");
	pushed = (int (*)(void))dlsym(handle, "stack_pushed");
	loads = (int (*)(void))dlsym(handle, "stack_loads");
}
#endif

/* What earlier executions mapped must be gone. */
static int mappings(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	int n = 0, c;

	while (f && (c = getc(f)) != EOF)
		n += c == '\n';
	if (f)
		fclose(f);
	return n;
}

int main(int argc, char **argv)
{
	void *(*const starts[])(void *) = { pusher, popper, popper };
	pthread_t threads[3];

	find(argc > 1 ? argv[1] : NULL);
	insist(loads() == 1);
	if (getenv("COUNT"))
		insist(mappings() < 400);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, starts[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	insist(pushed() == 100);
	return 0;
}

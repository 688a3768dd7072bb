/* SPDX-License-Identifier: MIT
 *
 * Errors in the use of heap blocks: errors HOW WHAT. HOW is how the block is allocated; WHAT is the
 * error, or `none`. The marks name the lines that a report has to have.
 */
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <pthread.h>

#define SIZE 24

struct alignas(64) wide {
	char bytes[64];
};

static const char *how, *what;
static char *volatile block;
static size_t size = SIZE;
static volatile char sink;

static bool is(const char *name)
{
	return !strcmp(how, name);
}

static __attribute__((noinline)) char *allocate()
{
	void *p;

	if (is("calloc"))
		return (char *)calloc(3, SIZE / 3); /* @calloc */
	if (is("realloc"))
		return (char *)realloc(malloc(5), SIZE); /* @realloc */
	if (is("shrunk"))
		return (char *)realloc(malloc(500), size); /* @shrunk */
	if (is("reallocarray"))
		return (char *)reallocarray(nullptr, 3, SIZE / 3); /* @reallocarray */
	if (is("posix_memalign"))
		return posix_memalign(&p, 64, SIZE) ? nullptr : (char *)p; /* @posix_memalign */
	if (is("memalign"))
		return (char *)memalign(128, SIZE); /* @memalign */
	if (is("aligned_alloc"))
		return (char *)aligned_alloc(8, SIZE); /* @aligned_alloc */
	if (is("strdup"))
		return strdup("twenty-three characters"); /* @strdup */
	if (is("new"))
		return new char[SIZE]; /* @new */
	if (is("aligned_new"))
		return (char *)new wide; /* @aligned_new */
	return (char *)malloc(SIZE); /* @malloc */
}

static __attribute__((noinline)) void release(char *p)
{
	if (is("new"))
		delete[] p; /* @delete */
	else if (is("aligned_new"))
		delete (wide *)p; /* @aligned_delete */
	else
		free(p); /* @free */
}

/* Without hooks, and the tests say --skip=unseen. */
extern "C" __attribute__((noinline, no_sanitize("thread"))) void unseen(char *p)
{
	*p = 1;
}

static __attribute__((noinline)) void use(char *p)
{
	if (!strcmp(what, "read"))
		sink = p[3]; /* @read */
	if (!strcmp(what, "write"))
		p[3] = 1; /* @write */
	if (!strcmp(what, "copy"))
		memset(p, 1, size); /* @copy */
	if (!strcmp(what, "read_past"))
		sink = p[size]; /* @read_past */
	if (!strcmp(what, "write_past"))
		p[size] = 1; /* @write_past */
	if (!strcmp(what, "copy_past"))
		memset(p + 1, 1, size); /* @copy_past */
	if (!strncmp(what, "unseen", 6))
		unseen(p + size);
	if (!strcmp(what, "double"))
		release(p); /* @double */
	if (!strcmp(what, "inside"))
		free(p + 8); /* @inside */
}

static bool uses_late()
{
	return !strcmp(what, "read") || !strcmp(what, "write") || !strcmp(what, "copy") ||
	       !strcmp(what, "double");
}

static void *user(void *arg)
{
	use(block);
	return arg;
}

static void *owner(void *arg)
{
	if (uses_late())
		release(block); /* @owner */
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	if (argc < 3)
		return 2;
	how = argv[1];
	what = argv[2];
	size = is("aligned_new") ? sizeof(wide) : SIZE;
	block = allocate(); /* @main */
	pthread_create(&a, nullptr, owner, nullptr);
	pthread_create(&b, nullptr, user, nullptr);
	pthread_join(a, nullptr);
	pthread_join(b, nullptr);
	if (!uses_late() && strcmp(what, "unseen_end"))
		release(block);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Constructors map memory in every way; the threads count in it. With an argument, main unmaps some.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE (1 << 20)

static char *writable, *reserved, *common, *moved, *file;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static char *map(int protection, int flags, int fd)
{
	char *p = mmap(NULL, SIZE, protection, flags, fd, 0);

	assert(p != MAP_FAILED);
	return p;
}

__attribute__((constructor)) static void map_all(void)
{
	int fd = memfd_create("file", 0);

	assert(fd >= 0 && !ftruncate(fd, SIZE));
	writable = map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	reserved = map(PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	common = map(PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1);
	moved = map(PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	moved = mremap(moved, SIZE, 2 * SIZE, MREMAP_MAYMOVE);
	file = map(PROT_READ | PROT_WRITE, MAP_PRIVATE, fd);
	close(fd);
	assert(!munmap(writable + SIZE / 2, SIZE / 2));
	*writable = *moved = 5;
}

static void *work(void *arg)
{
	pthread_mutex_lock(&m);
	++*writable;
	++*reserved;
	++*common;
	++*moved;
	++*file;
	pthread_mutex_unlock(&m);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	(void)argv;
	assert(!mprotect(reserved, 4096, PROT_READ | PROT_WRITE));
	assert(mmap(reserved + 4096, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
		    -1, 0) == reserved + 4096);
	assert(!reserved[4096]);
	reserved[4096] = 1;
	pthread_create(&a, NULL, work, NULL);
	pthread_create(&b, NULL, work, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(*writable == 7 && *moved == 7 && *reserved == 2 && *common == 2 && *file == 2);
	if (argc > 1)
		munmap(common, SIZE);
	return 0;
}

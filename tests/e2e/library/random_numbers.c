/* SPDX-License-Identifier: MIT
 *
 * What two threads do depends on random numbers that come from outside, by HOW. They are the same in each execution.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/uio.h>
#include <unistd.h>

static void by_getrandom(unsigned char *to)
{
	assert(getrandom(to, 4, 0) == 4);
}
static void by_getentropy(unsigned char *to)
{
	assert(!getentropy(to, 4));
}
static void by_device(unsigned char *to)
{
	int fd = open("/dev/urandom", O_RDONLY);

	assert(read(fd, to, 4) == 4);
	close(fd);
}
static void by_parts(unsigned char *to)
{
	struct iovec parts[] = { { to, 1 }, { to + 1, 3 } };
	int fd = open("/dev/random", O_RDONLY);

	assert(readv(fd, parts, 2) == 4);
	close(fd);
}
static void by_stream(unsigned char *to)
{
	FILE *f = fopen("/dev/random", "r");

	assert(f && fread(to, 4, 1, f) == 1);
	fclose(f);
	memset(to, 1, 4); /* for these are not the same */
}
#if __GLIBC_PREREQ(2, 36)
static void by_word(unsigned char *to)
{
	unsigned word = arc4random();

	memcpy(to, &word, 4);
}
static void by_buffer(unsigned char *to)
{
	arc4random_buf(to, 4);
}
static void by_bound(unsigned char *to)
{
	for (int i = 0; i < 4; i++) {
		unsigned number = arc4random_uniform(200);

		assert(number < 200);
		to[i] = (unsigned char)number;
	}
}
#else
#define by_word   by_getrandom
#define by_buffer by_getrandom
#define by_bound  by_getrandom
#endif

static int n;

static void *uses(void *unused)
{
	unsigned char bytes[4];

	HOW(bytes);
	for (int i = 0; i < 4; i++)
		if (bytes[i] & 1)
			__atomic_fetch_add(&n, 1, __ATOMIC_SEQ_CST);
	return unused;
}

int main(void)
{
	pthread_t t[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, uses, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	assert(n <= 8);
	return 0;
}

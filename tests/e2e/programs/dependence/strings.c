/* SPDX-License-Identifier: MIT */
/* Right: how much of a string is read follows from what was written before, not from when the call began: the same classes in
 * every search. Each result is told by a step of its own. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static char a[32] = "ab", b[32];
static volatile char told[2][64];

static void *reads(void *arg)
{
#if defined LENGTH
	size_t (*volatile length)(const char *) = strlen;

	told[0][length(a)] = 1;
#elif defined COMPARED
	int (*volatile compare)(const char *, const char *) = strcmp, (*volatile nocase)(const char *, const char *) = strcasecmp;

	told[0][(compare(a, b) > 0) + 2 * (nocase(a, b) > 0)] = 1;
#elif defined COPIED
	told[0][strlen(strcat(b, a))] = 1;
#elif defined FOUND
	char *(*volatile find)(const char *, int) = strchr;
	void *(*volatile find_byte)(const void *, int, size_t) = memchr;
	const char *p = find(a, 'l');

	told[0][p ? p - a : 32] = 1;
	p = find_byte(a, 'l', sizeof a);
	told[1][p ? p - a : 32] = 1;
#endif
	return arg;
}

static void *writes(void *arg)
{
	volatile char *p = a;

	strcpy(a, "abcd");
	p[1] = 0;
	b[0] = 'a';
	p[3] = 'l';
	return arg;
}

static void *writes_more(void *arg)
{
	volatile char *p = a;

	p[1] = 'x';
	p[2] = 'y';
	return arg;
}

int main(void)
{
	pthread_t t[3];

	pthread_create(&t[0], NULL, reads, NULL);
	pthread_create(&t[1], NULL, writes, NULL);
	pthread_create(&t[2], NULL, writes_more, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}

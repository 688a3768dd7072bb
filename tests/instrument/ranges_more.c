/* SPDX-License-Identifier: MIT
 *
 * Less common functions of libc on memory and strings: each gives its result while another thread
 * lives, and its accesses are seen. The argument is the number of the function; the other thread
 * writes what it reads, or reads what it writes. Built with -D_FORTIFY_SOURCE=2 copies go by other
 * names.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static char source[32] = "one two one", target[32], other[32] = "one";
static volatile size_t count = 12;

static void test(int function)
{
	char *copy;

	switch (function) {
	case 0:
		memcpy(target, source, count);
		assert(!memcmp(target, source, 12));
		break;
	case 1:
		memmove(target + 1, source, count);
		assert(!strcmp(target + 1, source));
		break;
	case 2:
		assert(mempcpy(target, source, count) == target + 12);
		break;
	case 3:
		memset(target, 'x', count);
		assert(target[11] == 'x' && !target[12]);
		break;
	case 4:
		assert(strcpy(target, source) == target && !target[11] && target[10] == 'e');
		break;
	case 5:
		assert(stpcpy(target, source) == target + 11);
		break;
	case 6:
		strncpy(target, source, count + 4);
		assert(target[10] == 'e' && !target[15]);
		break;
	case 7:
		target[0] = '>';
		assert(!strcmp(strcat(target, source), ">one two one"));
		break;
	case 8:
		target[0] = '>';
		assert(!strcmp(strncat(target, source, count - 9), ">one"));
		break;
	case 9:
		explicit_bzero(target, count);
		break;
	case 10:
		assert(rawmemchr(source, 't') == source + 4);
		break;
	case 11:
		assert(memrchr(source, 'o', count) == source + 8);
		break;
	case 12:
		assert(memmem(source, count, "two", 3) == source + 4);
		break;
	case 13:
		assert(strchrnul(source, 'w') == source + 5 &&
		       strchrnul(source, 'z') == source + 11);
		break;
	case 14:
		assert(!strcasecmp(source, "ONE two ONE") && strcasecmp(source, other));
		break;
	case 15:
		assert(!strncasecmp(source, "ONE xyz", count - 8));
		break;
	case 16:
		assert(strstr(source, "two") == source + 4 && !strstr(source, "three"));
		break;
	case 17:
		assert(strpbrk(source, "wt") == source + 4);
		break;
	case 18:
		assert(strspn(source, "eno") == 3 && strcspn(source, "wt") == 4);
		break;
	case 19:
		copy = strdup(source);
		assert(!strcmp(copy, "one two one"));
		free(copy);
		break;
	case 20:
		copy = strndup(source, count - 9);
		assert(!strcmp(copy, "one"));
		free(copy);
		break;
	case 21:
		assert(strcoll(source, "one two one") == 0);
		break;
	default:
		exit(9);
	}
}

/* Leaves everything as it is. */
static void *toucher(void *unused)
{
	volatile char *t = &target[2];
	volatile size_t three = 3; /* a call, whatever the compiler knows */

	/* What is there already, so that no result changes. A byte alone would be no write then. */
	memcpy(&source[2], "e t", three);
	(void)*t;
	return unused;
}

static void *tester(void *number)
{
	test(atoi(number));
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	if (argc != 2)
		return 9;
	pthread_create(&a, NULL, tester, argv[1]);
	pthread_create(&b, NULL, toucher, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

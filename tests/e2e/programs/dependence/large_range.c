/* SPDX-License-Identifier: MIT */
/* One step of the writer touches more memory than is told apart by words. Main touches a byte of that, before or after. */
#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define SIZE (128 << 10)

static char table[SIZE], copy[SIZE];
static char *volatile block, *volatile given;

static void *writer(void *p)
{
#ifdef SET
	memset(table, 1, sizeof table);
#elif defined COPIED
	memcpy(copy, table, sizeof table);
#elif defined GIVEN
	free(block);
	given = malloc(SIZE);
#endif
	return p;
}

static int touch(void)
{
#ifdef SET
	return ((volatile char *)table)[SIZE / 2];
#elif defined COPIED
	((volatile char *)table)[SIZE / 2] = 1;
	return 1;
#elif defined GIVEN
	return ((volatile char *)block)[SIZE / 2], 1;
#endif
}

int main(void)
{
	pthread_t t;
	int seen;

	block = malloc(SIZE);
	pthread_create(&t, NULL, writer, NULL);
	seen = touch();
	pthread_join(t, NULL);
	assert(seen);
#ifdef COPIED
	assert(copy[SIZE / 2]);
#endif
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * One thread copies, in libc, what another changes: a torn copy is possible only between two calls.
 */
#include <assert.h>
#include <pthread.h>
#include <string.h>

struct pair {
	char text[40];
	long more[8];
};
static struct pair shared, seen;
static const char *volatile word = "second";

static void *writer(void *unused)
{
	strcpy(shared.text, word);
	memset(shared.more, 7, sizeof shared.more);
	return unused;
}

static void *reader(void *unused)
{
	size_t n;

	memcpy(&seen, &shared, sizeof seen);
	n = strlen(seen.text);
	assert(n == 0 || n == 6); /* never a part */
	assert(n == 6 || !seen.more[3]);
	assert(n == 0 || seen.more[3]); /* fails between the two */
	return unused;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}

/* SPDX-License-Identifier: MIT
 *
 * Copies of structures, for which a compiler with hooks calls memcpy, memmove or memset, or hooks of the same names
 * with __tsan_ before them: called here by these names, so that it does not depend on the compiler.
 */
#include <pthread.h>
#include <string.h>

struct wide {
	long words[64];
};

void *__tsan_memcpy(void *to, const void *from, size_t n);
void *__tsan_memmove(void *to, const void *from, size_t n);
void *__tsan_memset(void *to, int c, size_t n);

static struct wide shared, other;

static void *writer(void *unused)
{
	__tsan_memset(&shared, 1, sizeof shared); /* @set */
	__tsan_memcpy(&other, &shared, sizeof other); /* @copy */
	return unused;
}

static void *reader(void *unused)
{
	struct wide mine;

	__tsan_memmove(&mine, &shared, sizeof mine); /* @move */
	return mine.words[0] == mine.words[63] ? unused : &shared;
}

int main(void)
{
	pthread_t a, b;

	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return other.words[5] != 0x0101010101010101;
}

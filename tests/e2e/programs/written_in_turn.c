/* SPDX-License-Identifier: MIT
 *
 * Writes of which only some are seen. WHERE says by whom, and it fails if it is a certain one:
 * 0 a thread reads it and another one overwrites it, 1 main reads it when it is alone, and then others overwrite it,
 * 2 main reads it at the end, 3 a thread reads one byte of it, 4 nobody.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#ifndef WHERE
#define WHERE 0
#endif

static int word;
static unsigned char *bytes = (unsigned char *)&word;
static int seen;

static void *write_it(void *value)
{
	__atomic_store_n(&word, (int)(long)value, __ATOMIC_RELAXED);
	return NULL;
}

static void *read_it(void *arg)
{
	(void)arg;
	seen = WHERE == 3 ? __atomic_load_n(bytes, __ATOMIC_RELAXED) : __atomic_load_n(&word, __ATOMIC_RELAXED);
	return NULL;
}

int main(void)
{
	static void *(*const second[])(void *) = { read_it, write_it, write_it, read_it, write_it };
	pthread_t t[4];

	for (long i = 0; i < 4; i++) {
		if (WHERE == 1 && i == 2) {
			for (int k = 0; k < 2; k++)
				pthread_join(t[k], NULL);
			seen = word;
		}
		pthread_create(&t[i], NULL, i == 3 ? second[WHERE] : write_it, (void *)(i + 1));
	}
	for (int k = WHERE == 1 ? 2 : 0; k < 4; k++)
		pthread_join(t[k], NULL);
	if (WHERE == 2)
		seen = word;
	if (seen == 1)
		abort();
	return 0;
}

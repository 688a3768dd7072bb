/* SPDX-License-Identifier: MIT
 *
 * Enters the functions of entries.S by every entry, by name and by address.
 */
#include <pthread.h>
#include <stdio.h>

int add_one(int *p), add_two(int *p), alias_one(int *p), tail(int *p);

static int shared, results[16];

/* As code that is not instrumented would: by the address. */
static void *(*const inner)(void *) = (void *(*)(void *))add_two;

static void *work(void *unused)
{
	int (*const all[])(int *) = { add_one, add_two, alias_one, tail };

	for (int i = 0; i < 12; i++)
		results[i] = all[i % 4](&shared);
	results[12] = add_one(&shared);
	results[13] = add_two(&shared);
	results[14] = tail(&shared);
	results[15] = tail(&shared);
	return unused;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, work, NULL);
	pthread_join(t, NULL);
	pthread_create(&t, NULL, inner, &shared);
	pthread_join(t, NULL);
	results[15] += shared;
	for (int i = 0; i < 16; i++)
		printf("%d ", results[i]);
	printf("\n");
	return 0;
}

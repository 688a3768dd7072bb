/* SPDX-License-Identifier: MIT
 *
 * A field of a heap block; machine code does not tell whether it is atomic.
 *
 * hooks: 1
 * plain: 0
 */
#include <pthread.h>
#include <stdlib.h>

static void *work(void *arg)
{
	*(int *)arg += 1;
	return NULL;
}

int main(void)
{
	pthread_t t[2];
	int *p = calloc(1, sizeof *p), v;

	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, work, p);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	v = *p;
	free(p);
	return v > 9;
}

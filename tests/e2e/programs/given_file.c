/* SPDX-License-Identifier: MIT
 *
 * How often two threads add one stands in a file: standard input, or FILE. With `keeps` it is written there again.
 *
 *	given_file [FILE | file=FILE] [keeps]
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int n, x;

static void *add(void *unused)
{
	for (int i = 0; i < n; i++)
		__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
	return unused;
}

int main(int argc, char **argv)
{
	const char *value = argc > 1 ? strchr(argv[1], '=') : NULL;
	FILE *file = argc > 1 ? fopen(value ? value + 1 : argv[1], argc > 2 ? "r+" : "r") : stdin;
	pthread_t a, b;

	if (!file || fscanf(file, "%d", &n) != 1)
		return 2;
	pthread_create(&a, NULL, add, NULL);
	pthread_create(&b, NULL, add, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	if (argc > 2) {
		rewind(file);
		fprintf(file, "%d\n", n);
	}
	fclose(file);
	return 0;
}

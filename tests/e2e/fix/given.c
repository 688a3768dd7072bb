/* Wrong only with the standard input and all arguments of the run. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static int n;

static void *count(void *arg)
{
	n++; /* @from */
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	char line[16] = "";

	(void)argv;
	if (!fgets(line, sizeof line, stdin) || line[0] != 'x' || argc != 81)
		line[0] = '-';
	pthread_create(&a, NULL, count, NULL);
	pthread_create(&b, NULL, count, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	assert(line[0] == '-' || n == 2);
	return 0;
}
